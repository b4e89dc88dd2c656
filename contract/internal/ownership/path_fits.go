package ownership

import (
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// The evidence for a base is the number of fixed segments in the paths of the requested operations, at most three of
// each operation, counted once; and one more if the base ends like the server of the document. Four are enough, or
// three in one path, or two if the address names the interface. As a rule two operations are enough, and one is not.
const (
	enoughWords      = 4
	enoughInOnePath  = 3
	enoughWhereNamed = 2

	maxWords = 3
)

// isEnough reports whether operations are enough evidence to guess a base.
func (p location) isEnough(operations map[*specs.Operation]bool) bool {
	sum, longest := 0, 0
	for op := range operations {
		sum += fixedSegments(op)
		longest = max(longest, fixedSegments(op))
	}
	if sum > 0 && p.document.BasePath != "" && strings.HasSuffix(p.path, p.document.BasePath) {
		sum++
	}
	return sum >= enoughWords || longest >= enoughInOnePath || sum >= enoughWhereNamed && p.isNamed()
}

// isNamed reports whether the address contains the name of the interface, as a word.
func (p location) isNamed() bool {
	return slices.Contains(strings.FieldsFunc(p.host+p.path, func(r rune) bool {
		return strings.ContainsRune(".-_/:", r)
	}), string(p.document.Interface))
}

// fit is an operation whose path is the end of a request's path.
type fit struct {
	document  *specs.Document
	operation *specs.Operation
	base      string // the path before it
	words     int
}

// bestFits lists the operations with the most fixed segments that fit the end of a path, one of each interface.
func (a *Addresses) bestFits(method string, u *url.URL) []fit {
	_, path := specs.CutWorld(specs.MergeSlashes(u.EscapedPath()))
	if u.Host == "" || !strings.HasPrefix(path, "/") {
		return nil
	}
	var best []fit
	for _, d := range a.documents {
		f := bestFit(d, method, path)
		if len(best) > 0 && f.words > best[0].words {
			best = best[:0]
		}
		if f.words > 0 && (len(best) == 0 || f.words == best[0].words) {
			best = append(best, f)
		}
	}
	return best
}

func bestFit(d *specs.Document, method, path string) (best fit) {
	at := 0
	for range maxSegments {
		if m := d.Find(method, path[at:]); m.Operation != nil && !m.Operation.IsExtra() {
			f := fit{d, m.Operation, path[:at], fixedSegments(m.Operation)}
			if d.BasePath != "" && strings.HasSuffix(f.base, d.BasePath) {
				f.words++
			}
			if f.words > best.words {
				best = f
			}
		}
		next := strings.IndexByte(path[at+1:], '/')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return best
}

// fixedSegments returns the number of segments of an operation's path that are the same in all requests, up to
// maxWords.
func fixedSegments(op *specs.Operation) int {
	n := 0
	for segment := range strings.SplitSeq(op.Path, "/") {
		if segment != "" && !strings.Contains(segment, "{") {
			n++
		}
	}
	return min(n, maxWords)
}
