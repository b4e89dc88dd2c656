package capture

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	jsonv2 "github.com/go-json-experiment/json"

	"svc.example/understudy/specs/recording"
)

// attached are bodies in files of their own, by the names under which an entry refers to them.
type attached map[string][]byte

// attach reads the bodies that an entry keeps in files beside its archive, as Playwright writes them when it is told to
// attach content. They are read here and not when the entry is decoded, because a zip archive may be closed by then.
func attach(beside fs.FS, raw []byte) attached {
	if beside == nil || !bytes.Contains(raw, []byte(`"_file"`)) {
		return nil
	}
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
	if jsonv2.Unmarshal(raw, &entry, tolerant) != nil {
		return nil // decoding will say so
	}
	bodies, left := attached{}, int64(MaxEntry-len(raw))
	for _, name := range []string{entry.Request.PostData.File, entry.Response.Content.File} {
		if body, err := readAttached(beside, name, left); err == nil {
			bodies[name] = body
			left -= int64(len(body))
		}
	}
	return bodies
}

// readAttached reads a file that must stand in the folder or below: a name that leads out of it is no name.
func readAttached(beside fs.FS, name string, limit int64) ([]byte, error) {
	file, err := beside.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	body, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errTooLarge
	}
	return body, err
}

// body is the body in a file, or the doubt that it leaves.
func (a attached) body(name string) (b *recording.Body, doubt string) {
	if body, ok := a[name]; ok {
		return &recording.Body{Bytes: body}, ""
	}
	return nil, fmt.Sprintf("the recording does not hold the body: its file %q is not beside it, or too large", name)
}
