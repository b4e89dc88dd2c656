package learn

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs"
)

// headers writes the headers of a request that its operation describes, but for those of its security schemes, and the
// media type of a body that is not the one of its file.
func (s *storyteller) headers(e *Exchange, content string) {
	sent := e.Item.Request.Headers
	media := sent.Value("Content-Type")
	isUsual := media == "" || slices.Contains([]string{body.JSONType, formType}, body.MediaType(media))
	if content != "" && !strings.HasSuffix(content, ".gz") && !isUsual {
		s.line("with Content-Type %s", quiet(media))
	}
	shown := e.Operation().Credentials("")
	for _, ref := range e.Operation().Parameters {
		p := ref.Value
		if p == nil || p.In != "header" || slices.Contains(apart, http.CanonicalHeaderKey(p.Name)) ||
			slices.ContainsFunc(shown, func(c specs.Credential) bool { return strings.EqualFold(c.Name, p.Name) }) {
			continue
		}
		if value := clean(sent.Value(p.Name)); value != "" && !strings.Contains(value, "$") {
			s.line("with %s %s", p.Name, quiet(value))
		}
	}
}

// apart are headers that no parameter describes (Parameter Object, name).
var apart = []string{"Accept", "Authorization", "Content-Type"}

const formType = "application/x-www-form-urlencoded"

// methods are those of the requests of a story.
var methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// target returns the path and the query of a request, with the variables as they stand in a script.
func (s *storyteller) target(e *Exchange, t *compare.Translation) string {
	target, query, hasQuery := strings.Cut(t.Target(e.Result), "?")
	if hasQuery {
		target += "?" + s.fields(query)
	}
	return quiet(escapedVariable.ReplaceAllString(target, "$$$1"))
}

// escapedVariable matches a variable as an address has it.
var escapedVariable = regexp.MustCompile(`%24([A-Z][A-Z0-9_]*)`)

// fields returns a query, or a form, with variables in the place of cursors.
func (s *storyteller) fields(query string) string {
	fields := strings.Split(query, "&")
	for i, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		if variable := s.cursors[value]; variable != "" && isCursor.MatchString(name) {
			fields[i] = name + "=$" + variable
		}
	}
	return strings.Join(fields, "&")
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
	switch {
	case identity == "" && e.Operation().Interface.IsOwn() && e.ShowsCredentials():
		return "1/admin" // in a place of the document's own
	case identity == "":
		return "nobody"
	}
	digest := s.keyDigest(identity)
	for _, key := range s.people.keys {
		if slices.Contains(key.Recorded, digest) {
			return key.Key
		}
	}
	if e.Owner.Document.Interface.IsOwn() || e.Status() != http.StatusUnauthorized {
		return "1/admin" // as it was tried; of own documents any will do, which say only that there is one
	}
	return "unknown"
}

// content returns the body of a request as the last word of a step, and whether it can be written as one.
func (s *storyteller) content(e *Exchange, t *compare.Translation) (word string, ok bool) {
	r := &e.Item.Request
	if r.Body == nil || len(r.Body.Bytes) == 0 {
		return "", true
	}
	isForm := body.MediaType(r.Headers.Value("Content-Type")) == formType
	if isForm && e.Item.RequestDoubt == "" {
		name := fmt.Sprintf("%d-request.form", s.n)
		form := s.fields(strings.TrimSpace(clean(string(r.Body.Bytes))))
		return " " + s.file(name, []byte(form+"\n")), true
	}
	if !json.Valid(r.Body.Bytes) || e.Item.RequestDoubt != "" {
		return s.archive(e)
	}
	return " " + s.json(fmt.Sprintf("%d-request.json", s.n), unquote(clean(string(t.Body(e.Result))))), true
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
