package dig

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"
)

// readEntries walks the archive and gives the sources of its workflows: file name → content.
func readEntries(archive *tar.Reader, limits Limits) (map[string][]byte, error) {
	sources := map[string][]byte{}
	seen := map[string]byte{}
	for entries := 1; ; entries++ {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return sources, nil
		}
		if err != nil {
			return nil, err
		}
		if entries > limits.Files {
			return nil, failf("", 0, "the archive has more than %d entries", limits.Files)
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		name, err := checkEntry(header, seen)
		if err != nil {
			return nil, err
		}
		if !isWorkflow(name, header) {
			continue
		}
		if sources[name], err = readSource(archive, name, limits.File); err != nil {
			return nil, err
		}
	}
}

// isWorkflow leaves dot files out: archivers of some desktops put a ._daily.dig next to each daily.dig.
func isWorkflow(name string, header *tar.Header) bool {
	return header.Typeflag == tar.TypeReg && path.Ext(name) == extension && !strings.Contains(name, "/") &&
		!strings.HasPrefix(name, ".")
}

func readSource(archive io.Reader, name string, most int64) ([]byte, error) {
	source, err := io.ReadAll(io.LimitReader(archive, most+1))
	if err == nil && int64(len(source)) > most {
		return nil, failf(name, 0, "a workflow file has at most %d bytes", most)
	}
	return source, err
}

// checkEntry returns the entry's cleaned path. seen remembers paths with their type: only a folder may come twice, as
// appending to a tar makes it.
func checkEntry(header *tar.Header, seen map[string]byte) (string, error) {
	name, err := cleanName(header.Name)
	if err != nil {
		return "", err
	}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeSymlink:
		if err := checkLink(name, header.Linkname); err != nil {
			return "", err
		}
	case tar.TypeLink:
		return "", &Error{File: name, Reason: "hard links are not allowed in an archive: send the file itself"}
	default:
		return "", &Error{File: name, Reason: "only files, folders and symbolic links are allowed in an archive"}
	}
	if before, twice := seen[name]; twice && (before != tar.TypeDir || header.Typeflag != tar.TypeDir) {
		return "", &Error{File: name, Reason: "the archive contains this path twice"}
	}
	seen[name] = header.Typeflag
	return name, nil
}

// cleanName returns the path without a leading "./" and a trailing slash; it refuses whatever could leave the folder
// that the archive is unpacked into.
func cleanName(name string) (string, error) {
	var reason string
	switch {
	case name == "":
		reason = "an entry of the archive has no name"
	case strings.ContainsAny(name, "\\\x00"):
		reason = "paths in an archive must not contain a backslash or NUL: " + quote(name)
	case strings.HasPrefix(name, "/"):
		reason = "paths in an archive must be relative: " + quote(name)
	case hasParent(name):
		reason = "paths in an archive must not contain ..: " + quote(name)
	default:
		return path.Clean(name), nil
	}
	return "", &Error{Reason: reason}
}

func hasParent(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// checkLink refuses symbolic links that lead out of the archive. Others are ignored: a workflow is a file, not a link
// to one.
func checkLink(name, target string) error {
	if target == "" || strings.HasPrefix(target, "/") || strings.ContainsAny(target, "\\\x00") ||
		hasParent(path.Join(path.Dir(name), target)) {
		return &Error{File: name, Reason: "a symbolic link must stay inside the archive, this one points at " +
			quote(target)}
	}
	return nil
}
