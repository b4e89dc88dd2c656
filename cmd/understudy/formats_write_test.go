package main_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1" // as Playwright names its files
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"svc.example/understudy/specs/recording"
)

type writer func(file string, list []*recording.Exchange) error

// formats write a recording as the tools do, after their documents and the recordings in
// contract/internal/capture/testdata.
func formats() map[string]writer {
	return map[string]writer{
		"ndjson":            toFile(ndjson),
		"ndjson gzip":       toFile(zipped(ndjson)),
		"har":               toFile(har),
		"har gzip":          toFile(zipped(har)),
		"har zip":           packed,
		"playwright attach": playwright,
		"go-vcr v1":         toFile(goVCR1),
		"go-vcr v3":         toFile(goVCR3),
		"go-vcr v4":         toFile(goVCR4),
		"vcr.py":            toFile(inYAML(vcrPy)),
		"vcr.py json":       toFile(inJSON(vcrPy)),
		"ruby vcr":          toFile(inYAML(rubyVCR)),
		"ruby vcr json":     toFile(inJSON(rubyVCR)),
	}
}

type format func(list []*recording.Exchange) ([]byte, error)

func toFile(f format) writer {
	return func(file string, list []*recording.Exchange) error {
		text, err := f(list)
		if err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o600)
	}
}

func ndjson(list []*recording.Exchange) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range list {
		if err := recording.Write(&b, e); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func har(list []*recording.Exchange) ([]byte, error) {
	var b bytes.Buffer
	err := recording.WriteHAR(&b, slices.Values(list))
	return b.Bytes(), err
}

// zipped writes two members of gzip, as when one file is appended to another.
func zipped(f format) format {
	return func(list []*recording.Exchange) ([]byte, error) {
		text, err := f(list)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		for _, part := range [][]byte{text[:len(text)/3], text[len(text)/3:]} {
			w := gzip.NewWriter(&b)
			_, err := w.Write(part)
			if err := errors.Join(err, w.Close()); err != nil {
				return nil, err
			}
		}
		return b.Bytes(), nil
	}
}

func packed(file string, list []*recording.Exchange) error {
	text, err := har(list)
	if err != nil {
		return err
	}
	return pack(file, map[string][]byte{"traffic/one.har": text})
}

func pack(file string, content map[string][]byte) error {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range content {
		f, err := w.Create(name)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// playwright moves the bodies of responses to files beside the archive: in a folder, and for every second story in a
// zip archive.
func playwright(file string, list []*recording.Exchange) error {
	text, err := har(list)
	if err != nil {
		return err
	}
	var archive map[string]any
	if err := json.Unmarshal(text, &archive); err != nil {
		return err
	}
	files := map[string][]byte{}
	for i, entry := range archive["log"].(map[string]any)["entries"].([]any) {
		if r := list[i].Response; r != nil && r.Body != nil && len(r.Body.Bytes) > 0 {
			content := entry.(map[string]any)["response"].(map[string]any)["content"].(map[string]any)
			name := fmt.Sprintf("%x.bin", sha1.Sum(r.Body.Bytes))
			files[name], content["_file"] = r.Body.Bytes, name
			delete(content, "text")
			delete(content, "encoding")
		}
	}
	if files["har.har"], err = json.Marshal(archive); err != nil {
		return err
	}
	if strings.HasSuffix(filepath.Dir(file), "1") {
		return pack(file, files)
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func headerOf(list recording.Headers) http.Header {
	header := http.Header{}
	for _, h := range list {
		header.Add(h[0], h[1])
	}
	return header
}

func textOf(b *recording.Body) string {
	if b == nil {
		return ""
	}
	return string(b.Bytes)
}

// responseOf returns the response, or an empty one for tools that cannot express a missing one.
func responseOf(e *recording.Exchange) recording.Response {
	if e.Response == nil {
		return recording.Response{}
	}
	return *e.Response
}
