package statefile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

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
