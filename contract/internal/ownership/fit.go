package ownership

import (
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// What paths say of where an interface is: the fixed words of each operation that was asked for, once, however often it
// was, and at most three; one more when the base ends as the document's own server does. Enough are four words, or
// three in one path, or two under an address that names the interface. Two operations are, as a rule; one alone hardly
// ever is.
const (
	enoughWords      = 4
	enoughInOnePath  = 3
	enoughWhereNamed = 2

	maxWords = 3
)

// isEnough reports whether operations make a candidate one that may be guessed.
func (p location) isEnough(operations map[*specs.Operation]bool) bool {
	sum, longest := 0, 0
	for op := range operations {
		sum += words(op)
		longest = max(longest, words(op))
	}
	if sum > 0 && p.document.BasePath != "" && strings.HasSuffix(p.path, p.document.BasePath) {
		sum++
	}
	return sum >= enoughWords || longest >= enoughInOnePath || sum >= enoughWhereNamed && p.isNamed()
}

// isNamed reports whether the address has the interface's name in it, as a word.
func (p location) isNamed() bool {
	return slices.Contains(strings.FieldsFunc(p.host+p.path, func(r rune) bool {
		return strings.ContainsRune(".-_/:", r)
	}), string(p.document.Interface))
}

// fit is an operation that the end of a path may ask for.
type fit struct {
	document  *specs.Document
	operation *specs.Operation
	base      string // what stands before it
	words     int
}

// fits lists the operations that fit the end of a path best, one of each interface.
func (a *Addresses) fits(method string, u *url.URL) []fit {
	_, path := cutWorld(u.EscapedPath())
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
			f := fit{d, m.Operation, path[:at], words(m.Operation)}
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

// words returns the number of segments of an operation's path that are the same in all requests, up to maxWords.
func words(op *specs.Operation) int {
	n := 0
	for segment := range strings.SplitSeq(op.Path, "/") {
		if segment != "" && !strings.Contains(segment, "{") {
			n++
		}
	}
	return min(n, maxWords)
}
