package ownership

import (
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// FindOperation returns an operation that an exchange may belong to, whatever its address: one whose path is the end of
// the exchange's. It is one of the extras only if no other one fits: their paths may be any two words. It returns nil
// if there is none. It is for taking secrets out, not for judging.
func FindOperation(documents []*specs.Document, e *recording.Exchange) *specs.Operation {
	u, err := AddressOf(&e.Request)
	if err != nil {
		return nil
	}
	var extra *specs.Operation
	for path := specs.MergeSlashes(u.EscapedPath()); path != ""; path = afterSegment(path) {
		for _, d := range documents {
			switch m := d.Find(e.Request.Method, path); {
			case m.Operation == nil:
			case !m.Operation.IsExtra():
				return m.Operation
			case extra == nil:
				extra = m.Operation
			}
		}
	}
	return extra
}

// afterSegment returns a path without its first segment.
func afterSegment(path string) string {
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[1+i:]
	}
	return ""
}
