package compare

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs/recording"
)

// align puts the recorded values into an answer in JSON wherever the answer corresponds to them, so that only the
// differences show when both stand beside each other: ids and times that correspond are then the same.
func (e *Exchange) align(was, is *recording.Response) {
	if was == nil || was.Body == nil || is.Body == nil || was.Status != is.Status || e.Omitted > 0 {
		return
	}
	recorded, ok1 := jsonOf(was)
	answered, ok2 := jsonOf(is)
	if !ok1 || !ok2 {
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(e.differing().align(recorded, answered)) != nil {
		return
	}
	is.Body = &recording.Body{Bytes: text.Bytes()}
	kind, recordedKind := is.Headers.Value("Content-Type"), was.Headers.Value("Content-Type")
	if mediaType(kind) == mediaType(recordedKind) {
		kind = recordedKind
	}
	is.Headers = recording.Headers{{"Content-Type", kind}}
}

// jsonOf returns the body of an answer, if it is JSON.
func jsonOf(r *recording.Response) (any, bool) {
	plain, reason := body.Uncode(r.Headers.Value("Content-Encoding"), r.Body.Bytes)
	if reason != "" {
		return nil, false
	}
	value, err := body.DecodeJSON(plain)
	return value, err == nil
}

// differences are the differences at a place of a body, and below it.
type differences struct {
	isHere bool
	below  map[string]*differences
}

// differing returns the differences of the body.
func (e *Exchange) differing() *differences {
	root := &differences{}
	for i := range e.Differences {
		pointer, isBody := strings.CutPrefix(e.Differences[i].Pointer, "/response/body")
		if !isBody {
			continue
		}
		at := root
		for token := range jsontext.Pointer(pointer).Tokens() {
			at = at.child(token)
		}
		at.isHere = true
	}
	return root
}

// child returns the differences below a place, which it makes.
func (d *differences) child(token string) *differences {
	next := d.below[token]
	if next == nil {
		next = &differences{}
		if d.below == nil {
			d.below = map[string]*differences{}
		}
		d.below[token] = next
	}
	return next
}

// at returns the differences at a member, or none.
func (d *differences) at(token string) *differences {
	if next := d.below[token]; next != nil {
		return next
	}
	return &differences{}
}

func (d *differences) align(was, is any) any {
	if d.isHere || typeOf(was) != typeOf(is) {
		return is
	}
	switch is := is.(type) {
	case map[string]any:
		for name, value := range is {
			if recorded, found := was.(map[string]any)[name]; found {
				is[name] = d.at(name).align(recorded, value)
			}
		}
		return is
	case []any:
		return d.alignItems(was.([]any), is)
	}
	return was
}

// alignItems aligns the items of lists of which each corresponds to the one at its own place.
func (d *differences) alignItems(was, is []any) []any {
	if len(was) != len(is) {
		return is
	}
	for _, item := range d.below {
		if item.isHere { // it is missing, or extra
			return is
		}
	}
	for i := range is {
		is[i] = d.at(strconv.Itoa(i)).align(was[i], is[i])
	}
	return is
}
