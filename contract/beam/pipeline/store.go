package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// storeFn writes the result for whoever has sent the job.
type storeFn struct{ Address string }

// ProcessElement writes the sum of all parts.
func (fn *storeFn) ProcessElement(ctx context.Context, sum []byte) error {
	return write(ctx, fn.Address, func(w io.Writer) error {
		_, err := w.Write(sum)
		return err
	})
}

// lettersFn writes the dead letters.
type lettersFn struct{ Address string }

// ProcessElement writes dead letters, one a line, in any order. Without any the file is empty.
func (fn *lettersFn) ProcessElement(ctx context.Context, _ []byte, letters func(*string) bool) error {
	return write(ctx, fn.Address, func(w io.Writer) error {
		for letter := ""; letters(&letter); {
			if _, err := fmt.Fprintln(w, letter); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes a file through Beam.
func write(ctx context.Context, address string, content func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, address)
	if err != nil {
		return err
	}
	defer fs.Close()
	file, err := fs.OpenWrite(ctx, address)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(content(w), w.Flush(), file.Close())
}

// fetch reads a file through Beam, and removes it where the filesystem can.
func fetch(ctx context.Context, address string) ([]byte, error) {
	fs, err := filesystem.New(ctx, address)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	text, err := filesystem.Read(ctx, fs, address)
	if remover, ok := fs.(filesystem.Remover); ok && err == nil {
		err = remover.Remove(ctx, address)
	}
	return text, err
}
