package learn

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// maxArchive bounds the files of an archive that are kept.
const maxArchive = 4 << 20

// archiveOf returns the files of a recorded archive of a revision, or nil.
func (p *projects) archiveOf(project, revision string) map[string]string {
	for _, e := range p.exchanges {
		isIt := e.name() == "workflow.downloadProjectArchive" && e.ok() && param(e, "id") == project
		wanted := queryOf(e).Get("revision")
		t := p.things.find(projectKind, project)
		isLatest := t != nil && t.first().Get("revision").String() == revision
		isWhole := isIt && e.Item.ResponseDoubt == "" && e.Item.Response.Body != nil
		if !isWhole || wanted != revision && !(wanted == "" && isLatest) {
			continue
		}
		if files := untar(e.Item.Response.Body.Bytes); files != nil {
			return files
		}
	}
	return nil
}

// untar returns the files of an archive, or nil if it cannot be read.
func untar(archive []byte) map[string]string {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil
	}
	files := map[string]string{}
	reader := tar.NewReader(io.LimitReader(plain, maxArchive))
	for {
		header, err := reader.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // the package says that it is this one
			return files
		case err != nil:
			return nil
		case header.Typeflag != tar.TypeReg:
			continue
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil
		}
		files[strings.TrimPrefix(header.Name, "./")] = string(text)
	}
}
