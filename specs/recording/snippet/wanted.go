package snippet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs/recording"
)

const (
	anything = `"*"`   // stands for any value, as in stories
	more     = `"..."` // at the end of a list: it may go on
)

// Limits of the part of an answer that a snippet wants to see again.
const (
	maxElements = 3   // of a list
	maxDepth    = 5   // of objects and lists
	maxValues   = 24  // in all
	maxText     = 200 // bytes of a text
)

var (
	moment     = regexp.MustCompile(`\d{4}-\d\d-\d\d([T ]|$)|\d\d:\d\d:\d\d`)
	unique     = regexp.MustCompile(`(?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-f]{32}`)
	nameOfID   = regexp.MustCompile(`(?:^|_)(?i:id|uuid|no)$|[a-z](?:Id|ID|Uuid|UUID|No)$`)
	nameOfTime = regexp.MustCompile(`(?i)(?:time|timestamp|_at|duration|elapsed|epoch|_ms)$|[a-z]At$`)
)

// wanted returns the part of a JSON answer that a later one should have as well: the beginning, without times, secrets,
// addresses, and ids of something new. It is empty if the body is not JSON, or was not recorded as a whole.
func wanted(e *recording.Exchange) string {
	if e.Response == nil || e.Response.Body == nil || e.Response.Body.Truncated {
		return ""
	}
	body := e.Response.Body.Bytes
	if !utf8.Valid(body) || !json.Valid(body) {
		return ""
	}
	p := &pruner{left: maxValues, isNew: e.Request.Method == http.MethodPost || e.Request.Method == http.MethodPut}
	text := p.value("", jsontree.Parse(body), 0)
	if text == anything {
		return ""
	}
	return text
}

// pruner shortens a value.
type pruner struct {
	left  int // values that it may still keep
	isNew bool
}

func (p *pruner) value(name string, v jsontree.Value, depth int) string {
	switch {
	case (v.IsObject() || v.IsArray()) && depth >= maxDepth:
		return anything
	case v.IsObject():
		return p.object(v, depth)
	case v.IsArray():
		return p.list(name, v, depth)
	}
	p.left--
	if p.isNew && nameOfID.MatchString(name) || nameOfTime.MatchString(name) || recording.IsSecret(name) {
		return anything
	}
	if !v.IsString() {
		return v.Raw()
	}
	text := v.Text()
	if len(text) > maxText || moment.MatchString(text) || unique.MatchString(text) || strings.Contains(text, "://") ||
		strings.Contains(text, recording.Mark) || strings.ContainsRune(text, utf8.RuneError) {
		return anything
	}
	return quoteJSON(text)
}

func (p *pruner) object(v jsontree.Value, depth int) string {
	var members []string
	for member := range v.Each {
		if name := member.Name(); len(name) <= maxText && isPlain(name) {
			members = append(members, quoteJSON(name)+": "+p.value(name, member, depth+1))
		}
		if p.left <= 0 {
			break
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (p *pruner) list(name string, v jsontree.Value, depth int) string {
	var elements []string
	for value := range v.Each {
		if len(elements) == maxElements || p.left <= 0 {
			elements = append(elements, more)
			break
		}
		elements = append(elements, p.value(name, value, depth+1))
	}
	return "[" + strings.Join(elements, ", ") + "]"
}

// quoteJSON returns a text as JSON has it, with what is hidden escaped.
func quoteJSON(text string) string {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return anything
	}
	var b strings.Builder
	for _, c := range strings.TrimSuffix(line.String(), "\n") {
		if isHidden(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
