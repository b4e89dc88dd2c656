package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
)

const standardInput = "standard input"

// recordingSource reads files, folders and patterns as one recording, whose exchanges have consecutive numbers. The
// name - is standard input. It, FIFOs and devices are read until the command is interrupted; if rereadable is set, a
// copy of them is, so that the source can be read more than once. Done releases it.
func recordingSource(c *cobra.Command, files []string, rereadable bool) (source contract.Source, done func(),
	err error,
) {
	var given []contract.Input
	var copies []string
	done = func() {
		for _, file := range copies {
			_ = os.Remove(file)
		}
	}
	seen := map[string]bool{} // streams, which are read once, as files are
	for _, file := range files {
		one := contract.Input{Path: file}
		if stream := streamOf(c, file); stream != nil {
			if seen[file] {
				continue
			}
			seen[file] = true
			one = contract.Input{Name: shownName(file), Reader: stream}
		}
		if one.Reader != nil && rereadable {
			if one.Path, err = spool(one.Reader); err != nil {
				done()
				return nil, nil, fmt.Errorf("buffer %s, which is read twice: %w", one.Name, err)
			}
			one.Reader, copies = nil, append(copies, one.Path)
		}
		given = append(given, one)
	}
	found := contract.Find(given...)
	return withProgress(c.ErrOrStderr(), found), done, nil
}

// shownName returns the name of a file in messages.
func shownName(file string) string {
	if file == "-" {
		return standardInput
	}
	return file
}

// streamOf returns a reader of standard input, a FIFO or a device that ends with the context of the command, also while
// nothing is written there. It is nil for other files.
func streamOf(c *cobra.Command, file string) io.Reader {
	if info, err := os.Stat(file); file != "-" && (err != nil || info.IsDir() || info.Mode().IsRegular()) {
		return nil
	}
	out, in := io.Pipe()
	context.AfterFunc(c.Context(), func() { in.CloseWithError(c.Context().Err()) })
	go func() {
		from, err := c.InOrStdin(), error(nil)
		if file != "-" {
			from, err = os.Open(file) // which may wait
		}
		if err == nil {
			_, err = io.Copy(in, from)
		}
		in.CloseWithError(err)
	}()
	return out
}

// spool copies a stream to a temporary file, which the caller has to remove unless there is an error.
func spool(r io.Reader) (path string, err error) {
	file, err := os.CreateTemp("", "understudy-*.recording")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
