package checkflags

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// File is a file that a command reads or writes, with the name that messages give it.
type File struct{ Path, As string }

// CheckOverwrites returns an error if a file would be written that is also read or written otherwise, or if its folder
// does not exist.
func CheckOverwrites(written, read []File) error {
	var errs []error
	for i, file := range written {
		if err := checkFolder(file.Path); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.As, err))
		}
		isIt := func(other File) bool { return sameFile(file.Path, other.Path) }
		if at := slices.IndexFunc(read, isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite %s: choose another file", file.As, read[at].As))
		}
		if at := slices.IndexFunc(written[:i], isIt); at >= 0 {
			errs = append(errs, fmt.Errorf("%s would overwrite what %s writes: choose another file", file.As, written[at].As))
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

// WriteFile writes a file in an existing folder.
func WriteFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
