package pipeline

import (
	"errors"

	"svc.example/understudy/contract/internal/capture/record"
)

// searches holds, of each folder and pattern that was searched, whether a recording was found. That there is none is
// an error.
type searches map[string]*search

type search struct {
	last int // index of its last file
	any  bool
}

func (s searches) add(root string, file int) {
	if s[root] == nil {
		s[root] = &search{}
	}
	s[root].last = file
}

func (s searches) see(root string, isRecording bool) { s[root].any = s[root].any || isRecording }

// after returns what is wrong after a file, or the empty string.
func (s searches) after(root string, file int) string {
	if root == "" || s[root].any || s[root].last != file {
		return ""
	}
	return root + ": contains no recording"
}

// isRecording reports whether what a source yields is of a recording.
func isRecording(err error) bool {
	problem, ok := errors.AsType[*record.ReadError](err)
	return !ok || problem.Kind != record.Skipped
}
