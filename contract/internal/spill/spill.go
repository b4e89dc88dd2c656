// Package spill keeps on the disk what does not fit into memory: texts, each of which can be read again at any time,
// and rows, which come back in order.
package spill

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// File holds texts in a temporary file. It is made with the first one.
type File struct {
	file *os.File
	out  *bufio.Writer
	size int64
}

// Frame says where a text is in a File.
type Frame struct {
	Offset int64
	Length int32
}

// IsEmpty reports whether nothing was put into the file.
func (f *File) IsEmpty() bool { return f.file == nil }

// Append adds a text. It can be read after Flush.
func (f *File) Append(text []byte) (at Frame, err error) {
	if f.file == nil {
		if f.file, err = createScratch("facts"); err != nil {
			return Frame{}, err
		}
		f.out = bufio.NewWriterSize(f.file, 1<<16)
	}
	at = Frame{f.size, int32(len(text))}
	f.size += int64(at.Length)
	_, err = f.out.Write(text)
	return at, err
}

// Flush lets readers see all that was added.
func (f *File) Flush() error {
	if f.out == nil {
		return nil
	}
	return f.out.Flush()
}

// Read returns a text, in some room if that is large enough. Several goroutines may call it.
func (f *File) Read(at Frame, room []byte) ([]byte, error) {
	if int(at.Length) > cap(room) {
		room = make([]byte, max(int(at.Length), 4<<10))
	}
	text := room[:at.Length]
	if _, err := f.file.ReadAt(text, at.Offset); err != nil {
		return nil, fmt.Errorf("read the exchanges again: %w", err)
	}
	return text, nil
}

// Close removes the file.
func (f *File) Close() error { return removeScratch(f.file) }

// createScratch makes a temporary file. Where the system lets it, the file has no name from the beginning, so that
// nothing of it stays behind whatever ends the process.
func createScratch(purpose string) (*os.File, error) {
	file, err := os.CreateTemp("", "understudy-"+purpose+"-*")
	if err != nil {
		return nil, fmt.Errorf("keep the %s of exchanges on the disk: %w", purpose, err)
	}
	_ = os.Remove(file.Name()) // on Windows, removeScratch does it
	return file, nil
}

func removeScratch(file *os.File) error {
	if file == nil {
		return nil
	}
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
