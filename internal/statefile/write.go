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
	at      int64 // how much is written
	states  []stored
	indexes map[[sha256.Size]byte]int // of the states that are written
	old     *os.File                  // nil if there is none
	kept    []stored                  // the states in it
}

// Write replaces the file. Whatever happens meanwhile, there is the old content or the new one.
func (f *File) Write(write func(*Writer) (Content, error)) error {
	w := &Writer{indexes: map[[sha256.Size]byte]int{}}
	if old, err := os.Open(f.path); err == nil {
		w.old, w.kept = old, f.states
		defer old.Close()
	}
	err := f.replace(func(file *os.File) error { return w.write(file, write) })
	if err == nil {
		f.states = w.states
	}
	return err
}

func (w *Writer) write(file *os.File, write func(*Writer) (Content, error)) error {
	sum := sha256.New()
	w.to = bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
	w.text(fmt.Sprintf("{%q:%d,\n%q:[", versionName, Version, "states"))
	content, err := write(w)
	if err != nil {
		return err
	}
	rest, err := json.Marshal(content)
	if err != nil {
		return err
	}
	w.text("],\n")
	w.text(string(rest[1 : len(rest)-1])) // its members
	if err := w.to.Flush(); err != nil {
		return err
	}
	_, err = file.WriteString(tail(sum))
	return err
}

// text writes a text. The buffer remembers an error until it is flushed.
func (w *Writer) text(text string) {
	n, _ := w.to.WriteString(text)
	w.at += int64(n)
}

// Add adds the dump of a state, unless it is there already, and returns its index.
func (w *Writer) Add(dump []byte) int {
	dump = bytes.TrimSpace(dump)
	return w.add(dump, sha256.Sum256(dump))
}

// Keep adds a state that the file has now, by its index there, and returns its new index. It reports whether it could
// read that: another process may have changed the file.
func (w *Writer) Keep(index int) (int, bool) {
	if w.old == nil || index >= len(w.kept) {
		return 0, false
	}
	state := w.kept[index]
	if known, is := w.indexes[state.sum]; is {
		return known, true
	}
	dump := make([]byte, state.length)
	if _, err := w.old.ReadAt(dump, state.offset); err != nil || sha256.Sum256(dump) != state.sum {
		return 0, false
	}
	return w.add(dump, state.sum), true
}

func (w *Writer) add(dump []byte, sum [sha256.Size]byte) int {
	if index, known := w.indexes[sum]; known {
		return index
	}
	index := len(w.states)
	if index > 0 {
		w.text(",")
	}
	w.text("\n")
	w.indexes[sum] = index
	w.states = append(w.states, stored{w.at, int64(len(dump)), sum})
	n, _ := w.to.Write(dump)
	w.at += int64(n)
	return index
}

const versionName = "understudyState"

// tail returns the end of a file: the digest of everything before.
func tail(sum hash.Hash) string {
	return `,` + "\n" + `"digest":"sha256:` + hex.EncodeToString(sum.Sum(nil)) + `"}` + "\n"
}
