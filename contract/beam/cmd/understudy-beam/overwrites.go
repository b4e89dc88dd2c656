package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// written lists the files that the command and its job write on this machine.
func (f *command) written() (paths []string) {
	for _, text := range f.also {
		if _, file, _ := strings.Cut(text, "="); file != "-" {
			paths = append(paths, file)
		}
	}
	for _, path := range []string{f.output, f.writeBaseline, f.job.DeadLetters} {
		if path != "" && !strings.Contains(path, "://") {
			paths = append(paths, path)
		}
	}
	return paths
}

// checkOverwrites returns an error if a file that would be written is read as well, or has no folder.
func checkOverwrites(written, read []string) error {
	var errs []error
	for _, path := range written {
		folder := filepath.Dir(path)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			errs = append(errs, fmt.Errorf("folder %s does not exist: create it first", folder))
		}
		if slices.ContainsFunc(read, func(other string) bool { return isSameFile(path, other) }) {
			errs = append(errs, fmt.Errorf("%s is a recording, and the job would overwrite it: choose another file", path))
		}
	}
	return errors.Join(errs...)
}

func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}
