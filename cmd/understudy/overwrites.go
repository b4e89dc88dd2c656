package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// namedFile is a file that a command reads or writes, with the name that messages give it.
type namedFile struct{ path, as string }

// checkOverwrites returns an error if a file would be written that is also read or written otherwise, or if its folder
// does not exist.
func checkOverwrites(written, read []namedFile) error {
	var errs []error
	for i, file := range written {
		if err := checkFolder(file.path); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.as, err))
		}
		isIt := func(other namedFile) bool { return sameFile(file.path, other.path) }
		if at := slices.IndexFunc(read, isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite %s: choose another file", file.as, read[at].as))
		}
		if at := slices.IndexFunc(written[:i], isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite what %s writes: choose another file", file.as, written[at].as))
		}
	}
	return errors.Join(errs...)
}

// checkFolder returns an error if the folder of a file does not exist. Commands do not create it: most often the path
// is mistyped.
func checkFolder(path string) error {
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist: create it first", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	return nil
}

// sameFile reports whether two paths lead to one file, which need not exist yet. Devices may be written to twice.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	other, err := os.Stat(b)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// files lists the files that a check reads and writes.
func (f *checkFlags) files(recordings []string) (written, read []namedFile) {
	written, read = f.baselineFlags.files()
	return append(written, f.outputs.files()...), append(f.recordingFlags.files(recordings), read...)
}
