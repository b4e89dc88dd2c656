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

// recordings reads files, folders and patterns as one recording, in which exchanges are numbered through. The name - is
// standard input. When again is set, the source can be read a second time. Done is called when it is no longer needed.
func recordings(c *cobra.Command, files []string, again bool) (source contract.Source, done func(), err error) {
	var given []contract.Input
	done = func() {}
	piped := false
	for _, file := range files {
		if file != "-" {
			given = append(given, contract.Input{Path: file})
			continue
		}
		if piped { // it is read once, as files are
			continue
		}
		piped = true
		one := contract.Input{Name: standardInput, Reader: until(c.Context(), c.InOrStdin())}
		if again {
			if one.Path, err = spool(one.Reader); err != nil {
				return nil, nil, fmt.Errorf("buffer standard input, which is read twice: %w", err)
			}
			one.Reader = nil
			done = func() { _ = os.Remove(one.Path) }
		}
		given = append(given, one)
	}
	found := contract.Find(given...)
	return showing(c.ErrOrStderr(), found), done, nil
}

// until reads a stream as long as a context lasts: nothing else ends the wait for an idle writer.
func until(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}

// spool copies a stream to a temporary file, which is left to the caller unless there is an error.
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
