package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs"
)

// storyteller writes the recorded requests as a story.
type storyteller struct {
	*learner
	steps        bytes.Buffer
	files        []txtar.File
	translations map[*specs.Document]*compare.Translation
	variables    map[string]bool
	captured     map[string]bool // by kind and id
	key          string
	now          time.Time
	n            int  // of the step
	isOver       bool // a request that writes cannot be written as a step, and what follows may depend on it
}

// maxMatched is the size of an answer that a story repeats.
const maxMatched = 4 << 10

// story returns the recorded requests as a txtar archive, see package story.
func (l *learner) story() []byte {
	s := &storyteller{
		learner: l, translations: map[*specs.Document]*compare.Translation{},
		variables: map[string]bool{}, captured: map[string]bool{},
		key: "1/admin", now: l.begin,
	}
	for _, e := range l.exchanges {
		if s.translations[e.Owner.Document] == nil {
			s.translations[e.Owner.Document] = compare.NewTranslation(e.Owner.Document)
		}
	}
	fmt.Fprintf(&s.steps, "# Learned from a recording that began at %s.\n", timeText(l.begin))
	for _, e := range l.exchanges {
		if s.leaveOut(e.leftOut); !s.isOver {
			s.step(e)
		}
	}
	s.leaveOut(l.leftOut)
	return txtar.Format(&txtar.Archive{Comment: s.steps.Bytes(), Files: s.files})
}

func (s *storyteller) line(format string, args ...any) { fmt.Fprintf(&s.steps, format+"\n", args...) }

func (s *storyteller) step(e *Exchange) {
	s.n++
	t := s.translations[e.Owner.Document]
	content, ok := s.content(e, t)
	switch {
	case !ok:
		s.line("# Left out: %s %s, whose body is not JSON.", e.Item.Request.Method, s.target(e, t))
		if isWrite(e) {
			s.end()
		}
		return
	case s.namesUnknown(e):
		s.line("# Left out: %s %s, whose id no step of this story shows.", e.Item.Request.Method, s.target(e, t))
		return
	}
	if by := e.At.Sub(s.now).Truncate(time.Second); by > 0 {
		s.line("[mock] clock advance %s", by)
		s.now = s.now.Add(by)
	}
	if key := s.keyOf(e); key != s.key {
		s.key = key
		s.line("as %s", key)
	}
	s.line("%s %s %d%s", e.Item.Request.Method, s.target(e, t), e.Status(), content)
	s.capture(e, t)
	s.match(e, t)
}

// namesUnknown reports whether a request names a thing that was made while the recording ran, and whose id no answer of
// the story shows.
func (s *storyteller) namesUnknown(e *Exchange) bool {
	for _, a := range e.Operation().Actions() {
		if len(a.Path) == 0 || a.Resource.IsNamed() {
			continue
		}
		id := param(e, a.Path[len(a.Path)-1])
		isChosen := number(id) > 0 || anyUUID.MatchString(id) // by the server
		t := s.things.find(a.Resource.Name, id)
		if isChosen && t != nil && !t.wasThere() && !s.captured[nameOf(a.Resource.Name, id)] {
			return e.ok()
		}
	}
	return false
}

// target returns the path and the query of a request, with the variables as they stand in a script.
func (s *storyteller) target(e *Exchange, t *compare.Translation) string {
	target := t.Target(e.Result)
	for name := range s.variables {
		target = strings.ReplaceAll(target, url.QueryEscape("$"+name), "$"+name)
	}
	return quiet(target)
}

// quiet quotes what the script would read otherwise.
func quiet(word string) string {
	if strings.ContainsAny(word, " '#") {
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return word
}

// keyOf returns the key of the scenario with which a request is sent.
func (s *storyteller) keyOf(e *Exchange) string {
	identity := e.Credential().Identity
	if identity == "" {
		return "nobody"
	}
	digest := compare.KeyDigest(identity)
	for _, key := range s.people.keys {
		if slices.Contains(key.Recorded, digest) {
			return key.Key
		}
	}
	if e.Owner.Document.Interface.IsOwn() {
		return "1/admin" // any will do: what a document says is only that there is one
	}
	return "unknown"
}

// content returns the body of a request as the last word of a step, and whether it can be written as one.
func (s *storyteller) content(e *Exchange, t *compare.Translation) (word string, ok bool) {
	r := &e.Item.Request
	if r.Body == nil || len(r.Body.Bytes) == 0 {
		return "", true
	}
	if !json.Valid(r.Body.Bytes) || e.Item.RequestDoubt != "" {
		return s.archive(e)
	}
	name := fmt.Sprintf("%d-request.json", s.n)
	s.files = append(s.files, txtar.File{Name: name, Data: unquote(clean(string(t.Body(e.Result))) + "\n")})
	return " " + name, true
}

// archive writes the files of an archive, and the step that packs them.
func (s *storyteller) archive(e *Exchange) (word string, ok bool) {
	files := untar(e.Item.Request.Body.Bytes)
	if len(files) == 0 || e.Item.RequestDoubt != "" {
		return "", false
	}
	folder := fmt.Sprintf("%d-files", s.n)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s.files = append(s.files, txtar.File{Name: folder + "/" + name, Data: []byte(clean(files[name]))})
	}
	s.line("archive %s.tar.gz %[1]s", folder)
	return " " + folder + ".tar.gz", true
}

// unquote takes the quotes off what stands for a number.
func unquote(text string) []byte { return unquoted.ReplaceAll([]byte(text), []byte("$1")) }

var unquoted = regexp.MustCompile(`"(?:\\u0001|` + compare.Unquoted + `)(\$[A-Z0-9_]+)"`)

// match adds what the answer must have, if it is JSON and short.
func (s *storyteller) match(e *Exchange, t *compare.Translation) {
	content := e.Item.Response.Body
	isJSON := body.IsJSON(body.MediaType(e.Item.Response.Headers.Value("Content-Type")))
	if !e.ok() || !isJSON || e.Item.ResponseDoubt != "" || content == nil || len(content.Bytes) > maxMatched {
		return
	}
	plain, reason := body.Uncode(e.Item.Response.Headers.Value("Content-Encoding"), e.Item.Response.Body.Bytes)
	value, err := body.DecodeJSON(plain)
	if reason != "" || err != nil {
		return
	}
	value = loosen("", t.Answer(e.Result, value))
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(value) != nil {
		return
	}
	name := fmt.Sprintf("%d.json", s.n)
	s.files = append(s.files, txtar.File{Name: name, Data: unquote(text.String())})
	s.line("match %s", name)
}

// loosen puts a * in the place of what another run may answer otherwise: ids that a server chose, times, secrets and
// addresses.
func loosen(name string, value any) any {
	const anything = "*"
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = loosen(name, v[name])
		}
	case []any:
		for i := range v {
			v[i] = loosen(name, v[i])
		}
	case string:
		isTime := !instant(v).IsZero()
		isID := number(v) > 0 || strings.HasPrefix(v, compare.Unquoted) || digest.MatchString(name) ||
			strings.Contains(v, "redacted-")
		if isTime || isID || mark.MatchString(v) || anyUUID.MatchString(v) || strings.Contains(v, "://") {
			return anything
		}
	case json.Number:
		if seconds, err := v.Float64(); err == nil && seconds > 1e9 || isIDName(name) {
			return anything
		}
	}
	return value
}

// digest matches the names of what is computed of other values.
var digest = regexp.MustCompile(`(?i)(digest|md5|sha\d+)$`)

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func isIDName(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")
}

// capture keeps the ids of what was made while the recording ran, for the requests that name it later.
func (s *storyteller) capture(e *Exchange, t *compare.Translation) {
	content, ok := e.JSONResponse()
	if !ok || !e.ok() {
		return
	}
	answer, err := body.DecodeJSON([]byte(content.Raw))
	if err != nil {
		return
	}
	for _, shown := range t.IDs(e.Result, answer) {
		thing := s.things.find(shown.Kind, shown.ID)
		at := nameOf(shown.Kind, shown.ID)
		if thing == nil || thing.wasThere() || s.captured[at] || !s.isNamed(thing, e) {
			continue
		}
		s.captured[at] = true
		name := s.variable(shown.Kind)
		s.line("capture %s %s", name, shown.Path)
		for _, translation := range s.translations {
			translation.Set(shown.Kind, shown.ID, "$"+name)
		}
	}
}

// isNamed reports whether a later request names a thing, or was sent what names it.
func (s *storyteller) isNamed(t *thing, since *Exchange) bool {
	return slices.ContainsFunc(s.exchanges[since.N:], func(e *Exchange) bool {
		content := ""
		if e.Item.Request.Body != nil {
			content = string(e.Item.Request.Body.Bytes)
		}
		return strings.Contains(e.Owner.Path+"?"+e.Owner.Query, t.key()) || strings.Contains(content, t.key())
	})
}

// variable returns a name for a new thing.
func (s *storyteller) variable(kind string) string {
	_, word, _ := strings.Cut(kind, ".")
	base := strings.ToUpper(strings.ReplaceAll(word, "-", "_"))
	name := base
	for n := 2; s.variables[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	s.variables[name] = true
	return name
}
