package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// named is a file that a command reads or writes, and what users know it as.
type named struct{ path, as string }

// overwritten refuses to write what is read, to write anything twice, and to write into a folder that is not there.
func overwritten(written, read []named) error {
	var errs []error
	for i, file := range written {
		if err := folderOf(file.path); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.as, err))
		}
		isIt := func(other named) bool { return sameFile(file.path, other.path) }
		if at := slices.IndexFunc(read, isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite %s: choose another file", file.as, read[at].as))
		}
		if at := slices.IndexFunc(written[:i], isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite what %s writes: choose another file", file.as, written[at].as))
		}
	}
	return errors.Join(errs...)
}

// folderOf reports an error unless there is a folder for a file. A command makes none: that it is not there is most
// often a slip of the pen.
func folderOf(path string) error {
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

// sameFile reports whether two paths lead to one file, which need not be there yet. Devices can be written to twice.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	other, err := os.Stat(b)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// files are those that a check reads and writes.
func (f *checkFlags) files(recordings []string) (written, read []named) {
	for _, path := range recordings {
		read = append(read, named{path, "the recording " + path})
	}
	for _, spec := range f.specs.list {
		read = append(read, named{spec[1], "the document " + spec[1]})
	}
	if f.writeBaseline != "" {
		written = append(written, named{f.writeBaseline, "--write-baseline " + f.writeBaseline})
	}
	written = append(written, f.outputs.files()...)
	if f.baseline != "" && !sameFile(f.baseline, f.writeBaseline) { // which may be written anew
		read = append(read, named{f.baseline, "the baseline " + f.baseline})
	}
	return written, read
}
