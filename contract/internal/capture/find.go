package capture

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/contract/internal/capture/record"
)

// Input is a place to look for recordings in: a file, a folder with all that is below it, or a pattern for files and
// folders, such as records/**/*.har. Or it is a stream, if Reader is set.
type Input struct {
	Path   string
	Name   string // for messages, if it is not to be Path
	Reader io.Reader
}

// Files reads recordings from disk, one after the other, as one source: files, all files below folders, and what
// patterns such as records/**/*.har stand for. A file that is not a recording is an error if it was named, and a note
// if it was only found.
func Files(paths ...string) record.Source {
	given := make([]Input, len(paths))
	for i, path := range paths {
		given[i].Path = path
	}
	return Find(given...).Source(nil)
}

// Inputs are recordings that were found, each once, in the order in which they are read.
type Inputs struct {
	files []*found
	size  int64
}

type found struct {
	Input
	root string // the folder that was searched, empty if the file was named
	err  error
	key  string
}

// Find looks for recordings. Problems are reported when they are read.
func Find(given ...Input) *Inputs {
	f := &Inputs{}
	seen := map[string]*found{}
	for _, g := range given {
		for _, one := range search(g) {
			if earlier := seen[one.key]; earlier != nil && one.key != "" {
				if one.root == "" {
					earlier.root = "" // it was found, and is named now
				}
				continue
			}
			seen[one.key] = one
			f.files = append(f.files, one)
			if info, err := os.Stat(one.Path); err == nil && one.Reader == nil && info.Mode().IsRegular() && f.size >= 0 {
				f.size += info.Size()
			} else if one.err == nil {
				f.size = -1
			}
		}
	}
	return f
}

// Size returns the number of bytes to read, compressed as they are, or -1 if that is not known.
func (f *Inputs) Size() int64 { return f.size }

// Source reads what was found. Count, if it is not nil, is called with the bytes that were read, as they are read.
func (f *Inputs) Source(count func(bytes int)) record.Source {
	if count == nil {
		count = func(int) {}
	}
	return func(yield func(record.Raw, error) bool) {
		pass := numbered(yield)
		searches := f.searches(pass)
		for i, one := range f.files {
			seen := searches[one.root]
			if seen == nil {
				if !one.read(count, pass) {
					return
				}
				continue
			}
			if !one.read(count, seen.pass) {
				return
			}
			if i == seen.last && !seen.any && !yield(record.Raw{}, fmt.Errorf("%s: contains no recording", one.root)) {
				return
			}
		}
	}
}

// searches are the folders and patterns that were searched, each with the last file that it gave.
func (f *Inputs) searches(yield func(record.Raw, error) bool) map[string]*lenient {
	searches := map[string]*lenient{}
	for i, one := range f.files {
		if one.root == "" {
			continue
		}
		if searches[one.root] == nil {
			searches[one.root] = &lenient{yield: yield}
		}
		searches[one.root].last = i
	}
	return searches
}

func (f *found) read(count func(int), yield func(record.Raw, error) bool) bool {
	if f.err != nil {
		return yield(record.Raw{}, f.err)
	}
	name := cmp.Or(f.Name, f.Path)
	if f.Reader != nil {
		return opened{name: name}.read(&counting{Reader: f.Reader, count: count}, yield)
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return yield(record.Raw{}, inPlainWords(name, err))
	}
	defer file.Close()
	o := opened{name: name}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		o.zip, o.size = &counting{ReaderAt: file, count: count}, info.Size()
	}
	// What an archive refers to must stand in its folder or below, or in the folder that was searched, links included.
	top, folder := filepath.Dir(f.Path), "."
	if within, err := filepath.Rel(f.root, top); f.root != "" && err == nil && filepath.IsLocal(within) {
		top, folder = f.root, filepath.ToSlash(within)
	}
	if tree, err := os.OpenRoot(top); err == nil {
		defer func() { _ = tree.Close() }()
		o.folders = record.FoldersOf(tree.FS(), folder)
	}
	return o.read(&counting{Reader: file, count: count}, yield)
}

// counting counts what is read.
type counting struct {
	io.Reader
	io.ReaderAt
	count func(int)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count(n)
	return n, err
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.count(n)
	return n, err
}

// search returns the files that a path stands for. A file stands for itself even if its name looks like a pattern.
func search(g Input) []*found {
	if g.Reader != nil {
		return []*found{{Input: g}}
	}
	info, err := os.Stat(g.Path)
	switch {
	case err == nil && info.IsDir():
		return orNothing(g.Path, below(g.Path, g.Path))
	case err == nil:
		return []*found{{Input: g, key: keyOf(g.Path)}}
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(g.Path, "*?[{"):
		return []*found{{Input: g, err: inPlainWords(g.Path, err)}}
	}
	matches, err := doublestar.FilepathGlob(g.Path,
		doublestar.WithNoHidden(), doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return []*found{{Input: g, err: fmt.Errorf("%s: %w", g.Path, err)}}
	}
	var list []*found
	for _, match := range matches {
		list = append(list, below(g.Path, match)...)
	}
	return orNothing(g.Path, list)
}

func orNothing(path string, list []*found) []*found {
	if len(list) > 0 {
		return list
	}
	return []*found{{Input: Input{Path: path}, err: fmt.Errorf("%s: no files to read", path)}}
}

// below is a file, or all files below a folder, in the order of their names. Hidden ones are left out, and so are
// bodies that an archive beside them refers to.
func below(root, top string) []*found {
	var list []*found
	archives := map[string]bool{}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			list = append(list, &found{Input: Input{Path: path}, root: root, err: err})
			return nil //nolint:nilerr // it is reported in its turn, and the other files are read
		case path != top && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir():
			archives[filepath.Dir(path)] = archives[filepath.Dir(path)] || isArchive(path)
			list = append(list, &found{Input: Input{Path: path}, root: root, key: keyOf(path), err: leadsOut(top, path, entry)})
		}
		return nil
	})
	if err != nil {
		list = append(list, &found{Input: Input{Path: top}, root: root, err: err})
	}
	kept := list[:0]
	for _, one := range list {
		if name := filepath.ToSlash(one.Path); (!isAttachment(name) || !archives[filepath.Dir(one.Path)]) &&
			!record.IsServed(name) {
			kept = append(kept, one)
		}
	}
	return kept
}

// leadsOut refuses what is not a file, and links that lead out of the folder that was given.
func leadsOut(top, path string, entry fs.DirEntry) error {
	skip := func(why string) error {
		return &record.ReadError{
			Position: record.Position{File: path}, Kind: record.Skipped,
			Err: errors.New("skipped: " + why),
		}
	}
	if entry.Type().IsRegular() {
		return nil
	}
	if entry.Type() != fs.ModeSymlink {
		return skip("not a regular file")
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return skip("the link's target does not exist")
	}
	folder, err := filepath.EvalSymlinks(top)
	if err != nil {
		return err
	}
	if within, err := filepath.Rel(folder, target); path != top && (err != nil || !filepath.IsLocal(within)) {
		return skip("the link points outside of the folder")
	}
	if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
		return skip("the link does not point to a regular file")
	}
	return nil
}

// inPlainWords returns an error that says why a file could not be opened, without the name of a system call.
func inPlainWords(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: file not found", name)
	}
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// keyOf is the same for all names of a file.
func keyOf(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil {
		return target
	}
	return absolute
}
