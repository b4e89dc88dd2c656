package record

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/source"
)

// Attached are bodies in files of their own, by the names under which an entry refers to them.
type Attached map[string][]byte

// Folders holds the folders of bodies that a recording may refer to. They are nil when they are not known.
type Folders struct {
	beside fs.FS // that of the recording
	served fs.FS // WireMock's __files, in that folder or beside it
}

// FoldersOf returns the folders for a recording that stands in a folder of a tree. Nothing leads out of the tree.
func FoldersOf(tree fs.FS, folder string) (f Folders) {
	f.beside, _ = fs.Sub(tree, folder)
	for _, name := range []string{path.Join(folder, servedFolder), path.Join(path.Dir(folder), servedFolder)} {
		if info, err := fs.Stat(tree, name); err == nil && info.IsDir() && f.served == nil {
			f.served, _ = fs.Sub(tree, name)
		}
	}
	return f
}

const servedFolder = "__files"

// IsServed reports whether a file holds a body of WireMock.
func IsServed(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), servedFolder)
}

// Attach reads the files that hold the bodies of an entry, as Playwright and WireMock write them. The entry is decoded
// later, when a zip archive may be closed already.
func (f Folders) Attach(raw []byte) Attached {
	switch {
	case f.beside != nil && bytes.Contains(raw, []byte(`"_file"`)):
		return readAll(f.beside, harFiles(raw), int64(MaxEntry-len(raw)))
	case f.served != nil && bytes.Contains(raw, []byte(`"bodyFileName"`)):
		return readAll(f.served, servedFile(raw), int64(MaxEntry-len(raw)))
	}
	return nil
}

// harFiles returns the names of the files that an entry of an HTTP Archive refers to.
func harFiles(raw []byte) []string {
	var entry struct {
		Request struct {
			PostData struct {
				File string `json:"_file"`
			} `json:"postData"`
		} `json:"request"`
		Response struct {
			Content struct {
				File string `json:"_file"`
			} `json:"content"`
		} `json:"response"`
	}
	if jsonv2.Unmarshal(raw, &entry, Lenient) != nil {
		return nil // decoding will say so
	}
	return []string{entry.Request.PostData.File, entry.Response.Content.File}
}

func readAll(folder fs.FS, names []string, left int64) Attached {
	bodies := Attached{}
	for _, name := range names {
		if body, err := readAttached(folder, name, left); err == nil {
			bodies[name] = body
			left -= int64(len(body))
		}
	}
	return bodies
}

// readAttached reads a file that must stand in the folder or below: a name that leads out of it is refused.
func readAttached(beside fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(beside, name)
	if err == nil {
		err = source.CheckFile(name, info)
	}
	if err != nil {
		return nil, err
	}
	file, err := beside.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	body, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = ErrTooLarge
	}
	return body, err
}

// Body is the body in a file, or the doubt that it leaves.
func (a Attached) Body(name string) (b *recording.Body, doubt string) {
	if body, ok := a[name]; ok {
		return &recording.Body{Bytes: body}, ""
	}
	return nil, fmt.Sprintf(
		"the recording does not contain the body: its file %q is missing, outside of the folder, or too large", name)
}

// servedFile returns the name of the file that a mapping refers to.
func servedFile(raw []byte) []string {
	v, err := ParseJSON(raw)
	if err != nil {
		return nil // decoding will say so
	}
	return []string{v.Get("response", "bodyFileName").Text}
}
