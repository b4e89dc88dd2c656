package source

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxFile is the maximum number of bytes of a file that is read as a whole, also if it grows meanwhile.
const maxFile = 1 << 30

// ReadFile reads a file as a whole that CheckFile accepts, or what a shell gives in the place of one: /dev/stdin,
// /dev/fd/63.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && name != "/dev/stdin" && !strings.HasPrefix(name, "/dev/fd/") {
		if err := CheckFile(name, info); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s has more than %d MiB: want a smaller file", name, maxFile>>20)
	}
	return text, err
}

// CheckFile returns an error unless a file is a regular one: a FIFO, a socket or a device may never end, and opening
// one may take for ever.
func CheckFile(name string, info fs.FileInfo) error {
	kind := "a device"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Errorf("%s is %s: want a regular file", name, kind)
}
