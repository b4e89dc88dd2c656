package capture

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
)

var sessionFile = regexp.MustCompile(`(?i)^raw[/\\]([0-9]{1,9})_([csm])\.(?:txt|xml)$`)

// session is an exchange in a SAZ archive of Fiddler: the request (c) and the response (s) as they were sent, and what
// Fiddler knows of them (m), when they were for instance.
type session struct {
	number int
	parts  map[string]*zip.File
}

// sessionsOf returns the sessions of a zip archive in the order of their numbers, none if it is not Fiddler's.
func sessionsOf(packed *zip.Reader) []session {
	known := map[int]session{}
	for _, file := range packed.File {
		m := sessionFile.FindStringSubmatch(file.Name)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		if known[number].parts == nil {
			known[number] = session{number: number, parts: map[string]*zip.File{}}
		}
		known[number].parts[strings.ToLower(m[2])] = file
	}
	var list []session
	for _, s := range known {
		if s.parts["c"] != nil {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b session) int { return cmp.Compare(a.number, b.number) })
	return list
}

func (o opened) readSessions(sessions []session, yield func(Record, error) bool) bool {
	place := Place{File: o.name, Line: 1}
	for _, s := range sessions {
		parts, err := s.read()
		switch {
		case errors.Is(err, errTooLarge):
			err = &ReadError{Place: place, Kind: TooLarge, Err: err}
		case err != nil:
			err = &ReadError{Place: place, Kind: Malformed, Err: fmt.Errorf("session %d: %w", s.number, err)}
		}
		if bytes.HasPrefix(parts["c"], []byte("CONNECT ")) && err == nil {
			continue // a tunnel is opened: what goes through it has sessions of its own
		}
		if !yield(Record{Place: place, attached: parts, decode: decodeSession}, err) {
			return false
		}
	}
	return true
}

// read unpacks the parts of a session, as far as they are there.
func (s session) read() (attached, error) {
	parts, left := attached{}, int64(MaxEntry)
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
	data, err := io.ReadAll(io.LimitReader(&bounded{r: r, packed: func() int64 { return size }}, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}

func decodeSession(r Record) (Item, error) {
	d, err := ofWire(r.attached["c"], r.attached["s"])
	if err != nil {
		return Item{}, r.malformed(err)
	}
	var meta struct {
		Timers struct {
			Begin string `xml:"ClientBeginRequest,attr"`
			Done  string `xml:"ClientDoneResponse,attr"`
		} `xml:"SessionTimers"`
	}
	if xml.Unmarshal(r.attached["m"], &meta) == nil { // without it, times are not known
		d.start, d.end = timeOf(meta.Timers.Begin), timeOf(meta.Timers.Done)
	}
	if d.end.Before(d.start) {
		d.end = d.start
	}
	return r.itemOf(d)
}
