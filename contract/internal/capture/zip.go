package capture

import (
	"archive/zip"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/capture/format"
	"svc.example/understudy/contract/internal/capture/record"
)

// unzip reads every recording in a zip archive, such as Playwright's, which holds an HTTP Archive and the bodies that
// it refers to.
func (o opened) unzip(in *record.Input, yield func(record.Raw, error) bool) bool {
	inner, problem := o.within(in)
	if problem != nil {
		return yield(record.Raw{}, problem)
	}
	at, size := o.zip, o.size
	if at == nil {
		file, n, err := spool(in.Reader)
		if err != nil {
			return yield(record.Raw{}, in.Broken(err))
		}
		defer func() { _ = discard(file) }()
		at, size = file, n
	}
	packed, err := zip.NewReader(at, size)
	if err != nil {
		return yield(record.Raw{}, in.Problem(record.Truncated, fmt.Errorf("the zip archive is damaged or cut off: %w", err)))
	}
	if sessions := format.SessionsOf(packed); len(sessions) > 0 {
		return format.ReadSessions(o.name, sessions, yield)
	}
	seen := &lenient{yield: yield}
	for _, file := range recordingsOf(packed) {
		inner.name, inner.folders = o.name+"/"+file.Name, record.FoldersOf(packed, path.Dir(file.Name))
		if !inner.readZipped(file, seen.pass) {
			return false
		}
	}
	if !seen.any {
		return yield(record.Raw{}, in.Problem(record.NoRecording, errors.New("the zip archive contains no recording")))
	}
	return true
}

// recordingsOf are the files that may be recordings: not folders, hidden files, and bodies that an archive refers to.
func recordingsOf(packed *zip.Reader) []*zip.File {
	archives := map[string]bool{}
	for _, file := range packed.File {
		if isArchive(file.Name) {
			archives[path.Dir(file.Name)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(packed.File), func(file *zip.File) bool {
		return strings.HasSuffix(file.Name, "/") || isHidden(file.Name) ||
			archives[path.Dir(file.Name)] && isAttachment(file.Name) || record.IsServed(file.Name)
	})
}

// isArchive reports whether a file may refer to bodies in the files beside it.
func isArchive(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".har") }

var digest = regexp.MustCompile(`^[0-9a-f]{40}(\.[\w.-]+)?$`)

// isAttachment reports whether a file is named as Playwright names bodies: by their SHA-1.
func isAttachment(name string) bool { return digest.MatchString(path.Base(name)) }

func isHidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "__MACOSX"
	})
}

func (o opened) readZipped(file *zip.File, yield func(record.Raw, error) bool) bool {
	place := record.Position{File: o.name, Line: 1}
	if file.Flags&1 != 0 {
		return yield(record.Raw{},
			&record.ReadError{Position: place, Kind: record.Malformed, Err: errors.New("it is encrypted")})
	}
	r, err := file.Open()
	if err != nil {
		return yield(record.Raw{}, &record.ReadError{Position: place, Kind: record.Malformed, Err: err})
	}
	defer r.Close()
	size := max(int64(file.CompressedSize64), 1) // as the archive says; a lie makes the bound tighter or reading fail
	return o.read(record.Unpacked(r, func() int64 { return size }), yield)
}

// lenient passes on what is read of files that were only found: one that is not a recording gives a note.
type lenient struct {
	yield func(record.Raw, error) bool
	any   bool // something is a recording, or the rest of one
	last  int  // index of the last file
}

func (l *lenient) pass(raw record.Raw, err error) bool {
	problem, ok := errors.AsType[*record.ReadError](err)
	if !ok || problem.Kind != record.NoRecording {
		l.any = l.any || !ok || problem.Kind != record.Skipped
		return l.yield(raw, err)
	}
	skipped := *problem
	skipped.Kind, skipped.Err = record.Skipped, fmt.Errorf("skipped: %w", problem.Err)
	return l.yield(record.Raw{}, &skipped)
}
