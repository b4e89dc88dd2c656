package compare

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/specs"
)

// masks are the masks of a comparison, with how often each was needed.
type masks struct{ list []Mask }

// errorPrefix begins the pointers of masks that apply only to answers that are errors.
const errorPrefix = "error:"

// hides reports whether a mask leaves a place of an operation's answer out.
func (m *masks) hides(op *specs.Operation, at []string, isError bool) bool {
	place := "/" + strings.Join(at, "/")
	for i := range m.list {
		mask := &m.list[i]
		pointer, onlyErrors := strings.CutPrefix(mask.Pointer, errorPrefix)
		if onlyErrors && !isError {
			continue
		}
		if fits, _ := path.Match(mask.Operation, op.Name()); !fits {
			continue
		}
		if fits, _ := doublestar.Match(pointer, place); fits {
			mask.Count++
			return true
		}
	}
	return false
}
