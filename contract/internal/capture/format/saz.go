package format

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
)

var sessionFile = regexp.MustCompile(`(?i)^raw[/\\]([0-9]{1,9})_([csm])\.(?:txt|xml)$`)

// Session is an exchange in a SAZ archive of Fiddler: the request (c) and the response (s) as they were sent, and what
// Fiddler knows of them (m), when they were for instance.
type Session struct {
	number int
	parts  map[string]*zip.File
}

// SessionsOf returns the sessions of a zip archive in the order of their numbers, none if it is not Fiddler's.
func SessionsOf(packed *zip.Reader) []Session {
	known := map[int]Session{}
	for _, file := range packed.File {
		m := sessionFile.FindStringSubmatch(file.Name)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		if known[number].parts == nil {
			known[number] = Session{number: number, parts: map[string]*zip.File{}}
		}
		known[number].parts[strings.ToLower(m[2])] = file
	}
	var list []Session
	for _, s := range known {
		if s.parts["c"] != nil {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return cmp.Compare(a.number, b.number) })
	return list
}

// ReadSessions reads the sessions of an archive.
func ReadSessions(archive string, sessions []Session, yield func(record.Raw, error) bool) bool {
	place := record.Position{File: archive, Line: 1}
	for _, s := range sessions {
		parts, err := s.read()
		switch {
		case errors.Is(err, record.ErrTooLarge):
			err = &record.ReadError{Position: place, Kind: record.TooLarge, Err: err}
		case err != nil:
			err = &record.ReadError{Position: place, Kind: record.Malformed, Err: fmt.Errorf("session %d: %w", s.number, err)}
		}
		if bytes.HasPrefix(parts["c"], []byte("CONNECT ")) && err == nil {
			continue // a tunnel is opened: what goes through it has sessions of its own
		}
		if !yield(record.Raw{Position: place, Attached: parts, Decoder: decodeSession}, err) {
			return false
		}
	}
	return true
}

// read unpacks the parts of a session, as far as they are there.
func (s Session) read() (record.Attached, error) {
	parts, left := record.Attached{}, int64(record.MaxEntry)
	for _, name := range []string{"c", "s", "m"} {
		file := s.parts[name]
		if file == nil {
			continue
		}
		if file.Flags&1 != 0 {
			return parts, errors.New("it is encrypted")
		}
		part, err := unpacked(file, left)
		if err != nil {
			return parts, err
		}
		parts[name] = part
		left -= int64(len(part))
	}
	return parts, nil
}

func unpacked(file *zip.File, limit int64) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	size := max(int64(file.CompressedSize64), 1)
	data, err := io.ReadAll(io.LimitReader(record.Unpacked(r, func() int64 { return size }), limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, record.ErrTooLarge
	}
	return data, err
}

func decodeSession(r record.Raw) (record.Item, error) {
	d, err := ofWire(r.Attached["c"], r.Attached["s"])
	if err != nil {
		return record.Item{}, r.Malformed(err)
	}
	var meta struct {
		Timers struct {
			Begin string `xml:"ClientBeginRequest,attr"`
			Done  string `xml:"ClientDoneResponse,attr"`
		} `xml:"SessionTimers"`
	}
	if xml.Unmarshal(r.Attached["m"], &meta) == nil { // without it, times are not known
		d.Start, d.End = record.ParseTime(meta.Timers.Begin), record.ParseTime(meta.Timers.Done)
	}
	if d.End.Before(d.Start) {
		d.End = d.Start
	}
	return r.ItemOf(d)
}
