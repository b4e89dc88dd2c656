package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"   // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // files
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs" // memfs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"    // s3://

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// File is a file of a recording, or a problem in its place.
type File struct {
	Index   int
	Name    string // path or address
	Root    string // the folder or pattern that was searched, empty if the file was named
	Problem Problem
}

// Problem is an error of a file on its way to a worker. The zero value is none.
type Problem struct {
	Text   string
	IsNote bool // of a file that was only found
}

func problemOf(err error) Problem {
	if err == nil {
		return Problem{}
	}
	if one, ok := errors.AsType[*record.ReadError](err); ok && one.Kind == record.Skipped {
		return Problem{one.Err.Error(), true}
	}
	return Problem{Text: err.Error()}
}

func (p Problem) err(file string) error {
	if p.IsNote {
		return &record.ReadError{Position: record.Position{File: file}, Kind: record.Skipped, Err: errors.New(p.Text)}
	}
	return errors.New(p.Text)
}

// Find looks for recordings: files on this machine as contract.Find does, in the same order, and those of object stores
// through Beam's filesystems, those of a pattern in the order of their names. Files that are not there are problems, in
// their place. The error is that of a filesystem.
func Find(ctx context.Context, patterns []string) ([]File, error) {
	var files []File
	var local []capture.Input
	flush := func() {
		for _, found := range capture.FilesOf(capture.Find(local...)) {
			files = append(files, File{Name: found.Path, Root: found.Root, Problem: problemOf(found.Err)})
		}
		local = nil
	}
	for _, pattern := range patterns {
		if !isAddress(pattern) {
			local = append(local, capture.Input{Path: pattern})
			continue
		}
		flush()
		found, err := list(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", pattern, err)
		}
		files = append(files, found...)
	}
	flush()
	seen := map[string]bool{}
	files = slices.DeleteFunc(files, func(f File) bool {
		again := seen[f.Name] && f.Problem == Problem{}
		seen[f.Name] = true
		return again
	})
	for i := range files {
		files[i].Index = i
	}
	return files, nil
}

func isAddress(path string) bool { return strings.Contains(path, "://") }

// list lists the files of an object store.
func list(ctx context.Context, pattern string) ([]File, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var files []File
	for _, name := range names {
		file := File{Name: name}
		if name != pattern {
			file.Root = pattern
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		files = []File{{Name: pattern, Problem: Problem{Text: pattern + ": no files to read"}}}
	}
	return files, nil
}

// read returns a source of the file as a whole.
func (f *File) read(ctx context.Context) contract.Source {
	source := func(yield func(record.Raw, error) bool) {
		if err := f.Problem; err != (Problem{}) {
			yield(record.Raw{}, err.err(f.Name))
			return
		}
		r, err := f.open(ctx)
		if err != nil {
			yield(record.Raw{}, fmt.Errorf("%s: %w", f.Name, err))
			return
		}
		defer r.Close()
		capture.Read(f.Name, r)(yield)
	}
	if !isAddress(f.Name) && f.Problem == (Problem{}) {
		source = capture.ReadFile(f.Name, f.Root)
	}
	if f.Root != "" {
		source = capture.Found(source)
	}
	return func(yield func(contract.Record, error) bool) {
		for raw, err := range source {
			if !yield(contract.Record{Raw: raw}, err) {
				return
			}
		}
	}
}

func (f *File) open(ctx context.Context) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	r, err := fs.OpenRead(ctx, f.Name)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	return opened{r, fs}, nil
}

// opened is a file that closes the filesystem behind it.
type opened struct {
	io.ReadCloser
	fs io.Closer
}

// Close implements io.Closer.
func (o opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.fs.Close()) }

// Source returns a source of all files, one after the other.
func Source(ctx context.Context, files []File) contract.Source {
	return func(yield func(contract.Record, error) bool) {
		var before contract.Place
		missing := searches{}
		for _, f := range files {
			missing.add(f.Root, f.Index)
		}
		for i := range files {
			one := files[i].read(ctx)
			for r, err := range contract.Behind(one, before) {
				if err == nil {
					before.Exchanges = r.Number
				}
				missing.see(files[i].Root, isRecording(err))
				if !yield(r, err) {
					return
				}
			}
			if problem := missing.after(files[i].Root, i); problem != "" && !yield(contract.Record{}, errors.New(problem)) {
				return
			}
		}
	}
}
