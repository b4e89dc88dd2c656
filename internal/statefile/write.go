package statefile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
)

// Writer writes the content of a file: first the states, then the rest.
type Writer struct {
	to      *bufio.Writer
	indexes map[[sha256.Size]byte]int // of the states that are written
}

// Write replaces the file. Whatever happens meanwhile, there is the old content or the new one.
func (f *File) Write(write func(*Writer) (Content, error)) error {
	return f.replace(func(file *os.File) error {
		sum := sha256.New()
		buffer := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
		fmt.Fprintf(buffer, "{%q:%d,\n%q:[", versionName, Version, "states")
		content, err := write(&Writer{to: buffer, indexes: map[[sha256.Size]byte]int{}})
		if err != nil {
			return err
		}
		rest, err := json.Marshal(content)
		if err != nil {
			return err
		}
		buffer.WriteString("],\n")
		buffer.Write(rest[1 : len(rest)-1]) // its members
		if err := buffer.Flush(); err != nil {
			return err
		}
		_, err = file.WriteString(tail(sum))
		return err
	})
}

// Add adds the dump of a state, unless it is there already, and returns its index.
func (w *Writer) Add(dump []byte) (int, error) {
	dump = bytes.TrimSpace(dump)
	sum := sha256.Sum256(dump)
	if index, known := w.indexes[sum]; known {
		return index, nil
	}
	index := len(w.indexes)
	if index > 0 {
		w.to.WriteString(",")
	}
	w.to.WriteString("\n")
	w.indexes[sum] = index
	_, err := w.to.Write(dump)
	return index, err
}

const versionName = "understudyState"

// tail returns the end of a file: the digest of everything before.
func tail(sum hash.Hash) string {
	return `,` + "\n" + `"digest":"sha256:` + hex.EncodeToString(sum.Sum(nil)) + `"}` + "\n"
}
