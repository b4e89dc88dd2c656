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
// name - is standard input. If rereadable is set, the source can be read more than once. Done releases it.
func recordingSource(c *cobra.Command, files []string, rereadable bool) (source contract.Source, done func(),
	err error,
) {
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
		one := contract.Input{Name: standardInput, Reader: untilDone(c.Context(), c.InOrStdin())}
		if rereadable {
			if one.Path, err = spool(one.Reader); err != nil {
				return nil, nil, fmt.Errorf("buffer standard input, which is read twice: %w", err)
			}
			one.Reader = nil
			done = func() { _ = os.Remove(one.Path) }
		}
		given = append(given, one)
	}
	found := contract.Find(given...)
	return withProgress(c.ErrOrStderr(), found), done, nil
}

// untilDone returns a reader that ends with a context, even while the stream is idle.
func untilDone(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
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
