// Package statefile reads and writes the file in which a server keeps its worlds: one JSON object, replaced as a whole,
// that begins with the version of its form and ends with a digest of everything before.
//
// The states of worlds stand in it as world dumps, each once, and worlds refer to them by their index. API keys are in
// the file, so only its owner may read it.
package statefile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"
)

// Version is the version of the form that is written, and the only one that is read.
const Version = 1

// Content holds what a file has beside the states.
type Content struct {
	Saved  time.Time `json:"saved"`
	Brand  string    `json:"brand"`
	Serial uint64    `json:"serial"` // of the worlds that were made without an id
	Worlds []World   `json:"worlds"` // in the order in which they were made
}

// World is one world of a file.
type World struct {
	ID          string             `json:"id"`
	Fork        string             `json:"fork,omitempty"` // the id of the world that it was forked from
	Keys        map[string]string  `json:"keys,omitempty"` // minted keys by kind
	Now         Moment             `json:"now"`
	Origin      Moment             `json:"origin"` // what a reset returns to
	Checkpoints map[string]*Moment `json:"checkpoints,omitempty"`
}

// Moment is a state with the mode of its clock.
type Moment struct {
	State int      `json:"state"` // the index of its dump
	Clock string   `json:"clock"`
	Ahead duration `json:"ahead,omitempty"` // of the wall clock, in the mode real
}

// duration is written as text.
type duration time.Duration

func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(s)
	*d = duration(parsed)
	return err
}

// NewMoment returns a state with the mode of its clock, and for the mode real by how much it is ahead.
func NewMoment(state int, mode string, ahead time.Duration) Moment {
	return Moment{state, mode, duration(ahead)}
}

// moments lists the moments of a world.
func (w *World) moments() []*Moment {
	list := []*Moment{&w.Now, &w.Origin}
	for _, m := range w.Checkpoints {
		list = append(list, m)
	}
	return list
}

// File is a file that one process at a time keeps its worlds in.
type File struct {
	path   string // without symbolic links
	lock   *flock.Flock
	states []stored // that are in the file, by their indexes
}

// stored is the place of a state in a file.
type stored struct {
	offset, length int64
	sum            [sha256.Size]byte
}

// Open takes hold of a file, which may not exist yet. Until it is closed, Open fails in every other process, and in
// this one.
func Open(path string) (*File, error) {
	target, err := realPath(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: want the path of a file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	lock := flock.New(target+".lock", flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	case !locked:
		return nil, fmt.Errorf("%s is in use by another server: stop that one, or choose another file", path)
	}
	return &File{path: target, lock: lock}, nil
}

// realPath follows symbolic links, so that a link stays one when its file is replaced.
func realPath(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("the folder of %s cannot be used: %w", path, err)
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

// Read reads the file: see the function Read.
func (f *File) Read(state func(dump []byte) error) (Content, error) {
	c, states, err := readFile(f.path, state)
	f.states = states
	return c, err
}

// Close lets others open the file. The file beside it that locks it stays, as removing it would let two processes have
// a lock each.
func (f *File) Close() error { return f.lock.Close() }

// replace replaces the file by what write writes, at once: whatever happens, there is the old content or the new one.
func (f *File) replace(write func(*os.File) error) error {
	temporary := f.path + ".tmp" // only who has the lock writes it, so one that a killed process left is ours
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temporary, f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return syncFolder(filepath.Dir(f.path))
}

// syncFolder makes sure that a file's new name survives a power failure. Windows knows no such thing.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// ErrEmpty is the error of a file that has no content yet.
var ErrEmpty = errors.New("the file is empty")

// Read reads a file, and calls state with each dump in it, in the order of their indexes. What it is given is valid
// only until it returns. A file that does not exist is an error of fs.ErrNotExist.
func Read(path string, state func(dump []byte) error) (Content, error) {
	c, _, err := readFile(path, state)
	return c, err
}

func readFile(path string, state func([]byte) error) (c Content, states []stored, err error) {
	if info, err := os.Stat(path); err != nil {
		return c, nil, err
	} else if !info.Mode().IsRegular() {
		return c, nil, fmt.Errorf("%s is not a regular file: want the path of a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return c, nil, err
	}
	defer file.Close()
	if err = check(file); err == nil {
		c, states, err = decode(jsontext.NewDecoder(file), state)
	}
	if err != nil {
		return Content{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, states, nil
}

// check checks the beginning and the end of a file, and leaves it to be read from its beginning.
func check(file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() == 0:
		return ErrEmpty
	}
	if err := checkVersion(jsontext.NewDecoder(file)); err != nil {
		return err
	}
	if err := checkDigest(file, info.Size()); err != nil {
		return err
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// checkVersion reads the beginning of a file.
func checkVersion(d *jsontext.Decoder) error {
	other := errors.New("it is not a file in which understudy serve --state keeps worlds")
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return other
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != '"' || token.String() != versionName {
		return other
	}
	var version int
	if err := jsonv2.UnmarshalDecode(d, &version); err != nil {
		return other
	}
	switch {
	case version > Version:
		return fmt.Errorf("a newer Understudy has written it, in version %d of its form: this one reads version %d; "+
			"update it, or choose another file", version, Version)
	case version < Version:
		return fmt.Errorf("it has version %d of its form, but this Understudy reads version %d: choose another file",
			version, Version)
	}
	return nil
}

// checkDigest holds the digest at the end of a file against what is before it.
func checkDigest(file *os.File, size int64) error {
	sum := sha256.New()
	length := int64(len(tail(sum)))
	end := make([]byte, length)
	if size > length {
		if _, err := io.Copy(sum, io.NewSectionReader(file, 0, size-length)); err != nil {
			return err
		}
		if _, err := file.ReadAt(end, size-length); err != nil {
			return err
		}
	}
	if string(end) != tail(sum) {
		return errors.New("it is damaged: the digest at its end does not match what is before, so it was cut or edited; " +
			"restore it from a copy, or choose another file")
	}
	return nil
}

func decode(d *jsontext.Decoder, state func([]byte) error) (c Content, states []stored, err error) {
	members := map[string]json.RawMessage{}
	_, err = d.ReadToken()
	for err == nil && d.PeekKind() != jsontext.KindEndObject {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		if member := name.String(); member != "states" {
			var value jsontext.Value
			value, err = d.ReadValue()
			members[member] = json.RawMessage(value.Clone())
			continue
		}
		states, err = decodeStates(d, state)
	}
	if err != nil {
		return c, nil, err
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil {
		err = c.check(len(states))
	}
	return c, states, err
}

func decodeStates(d *jsontext.Decoder, state func([]byte) error) (states []stored, err error) {
	if _, err = d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() == jsontext.KindBeginObject {
		dump, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		length := int64(len(dump))
		states = append(states, stored{d.InputOffset() - length, length, sha256.Sum256(dump)})
		if err := state(dump); err != nil {
			return nil, fmt.Errorf("state %d: %w", len(states)-1, err)
		}
	}
	_, err = d.ReadToken()
	return states, err
}

// check refuses what anybody can write who can make a digest.
func (c *Content) check(states int) error {
	for i := range c.Worlds {
		for _, m := range c.Worlds[i].moments() {
			if m == nil || m.State < 0 || m.State >= states {
				return fmt.Errorf("world %s refers to a state that the file does not have", c.Worlds[i].ID)
			}
		}
	}
	return nil
}

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
