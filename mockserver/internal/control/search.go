package control

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/journal"
)

// maxSearches bounds how many searches are remembered.
const maxSearches = 16

// searches remembers which exchanges the last searches have found, so that each looks at an exchange once, however
// often its client pages through them or asks whether there are more.
type searches struct {
	mu   sync.Mutex
	last []*search // the one that was used last comes last
}

// search is the search for exchanges of a journal that fit. What is true of an exchange once stays true.
type search struct {
	journal *journal.Journal
	words   string // what is searched for, in one spelling

	mu     sync.Mutex
	number int64 // of the last exchange that was looked at
	found  []int64
}

// of returns the search for some words in a journal.
func (s *searches) of(j *journal.Journal, words string) *search {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := &search{journal: j, words: words}
	if i := slices.IndexFunc(s.last, func(x *search) bool { return x.journal == j && x.words == words }); i >= 0 {
		found = s.last[i]
		s.last = slices.Delete(s.last, i, i+1)
	} else if len(s.last) == maxSearches {
		s.last = slices.Delete(s.last, 0, 1)
	}
	s.last = append(s.last, found)
	return found
}

// run looks at the exchanges that came since it was run last, and returns the numbers of all that fit and that the
// journal still has. The list must not be changed.
func (s *search) run(ctx context.Context, fits func(*journal.Entry) bool) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		entries := s.journal.Next(s.number, batch)
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if fits(e) {
				s.found = append(s.found, e.Seq)
			}
			s.number = e.Seq
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	gone, _ := slices.BinarySearch(s.found, s.journal.Extent().First)
	s.found = s.found[gone:]
	return s.found, nil
}

// containsText returns a function that reports whether a text occurs in an exchange, in whatever case: in its address,
// its bodies, its notes or its fault.
func containsText(text string) func(*journal.Entry) bool {
	fold := foldOf(text)
	want := fold(nil, []byte(text))
	var room []byte
	has := func(b []byte) bool {
		room = fold(room[:0], b)
		return bytes.Contains(room, want)
	}
	return func(e *journal.Entry) bool {
		return has([]byte(e.URL)) || has(e.RequestBody) || has(e.ResponseBody) || has([]byte(e.Fault)) ||
			slices.ContainsFunc(e.Notes, func(note string) bool { return has([]byte(note)) })
	}
}

// foldOf returns what appends a text in lower case. For the sake of speed it leaves letters beyond ASCII as they are,
// unless there are such in the text that is searched for.
func foldOf(text string) func(room, b []byte) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return func(_, b []byte) []byte { return bytes.ToLower(b) }
	}
	return func(room, b []byte) []byte {
		room = append(room, b...)
		for i, c := range room {
			if 'A' <= c && c <= 'Z' {
				room[i] = c + ('a' - 'A')
			}
		}
		return room
	}
}
