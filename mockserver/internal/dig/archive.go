package dig

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits bound what ReadArchive accepts: bytes of the archive as sent, bytes once expanded, entries, and bytes of one
// .dig file. Expanded also bounds the definitions after their aliases are resolved, all together.
type Limits struct {
	Compressed, Expanded int64
	Files                int
	File                 int64
}

// DefaultLimits returns 10 MB as sent (public), 64 MiB expanded, 10,000 entries and 8 MiB for a .dig file (assumed).
func DefaultLimits() Limits {
	return Limits{Compressed: 10_000_000, Expanded: 64 << 20, Files: 10_000, File: 8 << 20}
}

// ReadArchive reads a project from the bytes of its tar.gz. Workflows are the files with the extension .dig in the top
// folder, dot files left out; only these are kept in memory while reading. An archive without any is a project without
// workflows. Every other entry is checked and passed over.
func ReadArchive(gz []byte, limits Limits) (Project, error) {
	if int64(len(gz)) > limits.Compressed {
		return Project{}, failf("", 0, "the archive has %d bytes, at most %d are allowed", len(gz), limits.Compressed)
	}
	expanded, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return Project{}, archiveError(err)
	}
	m := &meter{from: expanded, most: limits.Expanded}
	sources, err := readEntries(tar.NewReader(m), limits)
	if err == nil {
		// Only the end of the gzip stream shows whether its checksum holds and nothing stands behind it.
		_, err = io.Copy(io.Discard, m)
	}
	if err != nil {
		return Project{}, archiveError(err)
	}
	if m.read == 0 {
		return Project{}, &Error{Reason: "the archive is empty: send a tar with gzip compression"}
	}
	return readProject(sources, limits)
}

// meter counts what comes out of the decompressor and stops at the limit, so that a small archive cannot expand into
// a big one.
type meter struct {
	from       io.Reader
	read, most int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.read += int64(n)
	if m.read > m.most {
		return 0, failf("", 0, "the archive expands to more than %d bytes: leave out what the workflows do not need",
			m.most)
	}
	return n, err
}

// archiveError words what the readers of gzip and tar say for people who made the archive with a tool.
func archiveError(err error) error {
	const right = ": send a tar with gzip compression, as created by `tar czf`"
	var (
		own     *Error
		corrupt flate.CorruptInputError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, gzip.ErrChecksum):
		return &Error{Reason: "the gzip checksum of the archive is wrong: it was changed or cut off in transit"}
	case errors.Is(err, gzip.ErrHeader):
		return &Error{Reason: "the archive is not gzip, or has data after its end" + right}
	case errors.As(err, &corrupt):
		return &Error{Reason: "the gzip stream of the archive is damaged" + right}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Reason: "the archive is cut off, or has data after its end" + right}
	case errors.Is(err, tar.ErrHeader):
		return &Error{Reason: "the gzip stream does not contain a tar" + right}
	}
	return &Error{Reason: "the archive cannot be read: " + err.Error()}
}

// writers keeps writers for the next archive: each has some 800 KB of tables.
var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// WriteArchive packs files (path → content) into a tar.gz that ReadArchive accepts. The same files give the same
// bytes: names are sorted, times are zero, nothing of the machine is written.
func WriteArchive(files map[string]string) ([]byte, error) {
	var out bytes.Buffer
	zipped := writers.Get().(*gzip.Writer)
	defer writers.Put(zipped)
	zipped.Reset(&out)
	packed := tar.NewWriter(zipped)
	for _, name := range sortedKeys(files) {
		if err := writeFile(packed, name, files[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(packed.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeFile(packed *tar.Writer, name, content string) error {
	if cleaned, err := cleanName(name); err != nil {
		return err
	} else if cleaned != name {
		return &Error{File: name, Reason: "write the path as " + quote(cleaned)}
	}
	header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: time.Unix(0, 0)}
	if err := packed.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(packed, strings.NewReader(content))
	return err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

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
	return slices.Contains(strings.Split(name, "/"), "..")
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
