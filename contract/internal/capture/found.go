package capture

import (
	"svc.example/understudy/contract/internal/capture/record"
)

// File is a recording that was found on disk, for those who read it elsewhere.
type File struct {
	Path string
	Root string // the folder or pattern that was searched, empty if the file was named
	Err  error  // why it cannot be read, in its place
}

// FilesOf lists the files that were found, in the order in which they are read.
func FilesOf(f *Inputs) []File {
	list := make([]File, len(f.files))
	for i, one := range f.files {
		list[i] = File{one.Path, one.root, one.err}
	}
	return list
}

// ReadFile returns a source of one file, with what an archive keeps beside it. It is read as one that was named.
func ReadFile(path, root string) record.Source {
	return func(yield func(record.Raw, error) bool) {
		one := found{Input: Input{Path: path}, root: root}
		one.read(func(int) {}, numbered(yield))
	}
}

// Found returns a source that reads the same, of a file that was only found: that it is not a recording is a note.
func Found(source record.Source) record.Source {
	return func(yield func(record.Raw, error) bool) {
		note := lenient{yield: yield}
		for raw, err := range source {
			if !note.pass(raw, err) {
				return
			}
		}
	}
}
