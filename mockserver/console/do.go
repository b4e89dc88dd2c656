package console

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs/recording"
)

// do makes the call that a form describes, and leads back to its page, which shows what became of it. The fields of a
// form are
//
//	call                 the method and the address: POST worlds/default/clock is one of the control interface,
//	                     POST /workflow/api/pools one of an interface of the platform
//	string:advance       a member of the body, by its name, as a string; empty ones are left out
//	number: bool: json:  likewise as a number, true, or any JSON
//	query:name           a parameter of the query; empty ones are left out
//	header:X-Name        a header
//	body                 the whole body, in the place of its members
//	back                 the page to lead to, relative to the console's root
func (v *view) do() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return v.problem(http.StatusBadRequest, "The form cannot be read: "+err.Error())
	}
	return v.doing(v.r.PostForm)
}

func (v *view) doing(form url.Values) error {
	call, err := callOf(form)
	if err != nil {
		return v.problem(http.StatusBadRequest, err.Error())
	}
	a, err := v.send(call)
	if err != nil {
		return err
	}
	if a.Status == http.StatusUnauthorized && strings.HasPrefix(call.Path, controlPath) {
		return &refusal{a}
	}
	back := local(form.Get("back"))
	if next := form.Get("next"); next != "" && a.Status < http.StatusBadRequest {
		back = local(next)
	}
	id := v.results.put(newResult(v, call, a))
	separator := "?"
	if strings.Contains(back, "?") {
		separator = "&"
	}
	redirect(v.w, back+separator+"result="+id)
	return nil
}

// maxForm is the number of bytes that a form may have.
const maxForm = 16 << 20

// callOf returns the call that a form describes.
func callOf(form url.Values) (c call, err error) {
	method, path, found := strings.Cut(form.Get("call"), " ")
	if !found || path == "" {
		return c, errors.New("the form says no call, such as POST worlds")
	}
	if !strings.HasPrefix(path, "/") {
		path = controlPath + path
	}
	if _, err := url.ParseRequestURI(path); err != nil {
		return c, fmt.Errorf("the form says a call of an address that cannot be: %w", err)
	}
	c.Method = method
	query := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		kind, at, _ := strings.Cut(name, ":")
		value := form.Get(name)
		if value == "" {
			continue
		}
		switch kind {
		case "string", "number", "bool", "json":
			if c.Body, err = setMember(c.Body, kind, at, value); err != nil {
				return c, err
			}
		case "query":
			query[at] = form[name]
		case "header":
			c.Header = append(c.Header, [2]string{at, value})
		case "body":
			c.Body = []byte(value)
		}
	}
	c.Path = path
	if len(query) > 0 {
		c.Path += "?" + query.Encode()
	}
	return c, nil
}

// setMember sets a member of a body.
func setMember(body []byte, kind, name, value string) ([]byte, error) {
	switch kind {
	case "string":
		text, _ := jsontext.AppendQuote(nil, value) // replaces invalid Unicode
		value = string(text)
	case "number":
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("%s: %q is not a number", name, value)
		}
	case "bool":
		value = "true"
	}
	if !json.Valid([]byte(value)) {
		return nil, fmt.Errorf("%s: %q is not JSON", name, value)
	}
	return []byte(jsontree.Parse(cmp.Or(string(body), "{}")).With(value, name)), nil
}

// result holds the outcome of a call.
type result struct {
	Call    string // as curl
	Status  int
	IsTrial bool   // it was made in a fork
	Message string // of a refusal
	Answer  *evidence.Body
}

func newResult(v *view, c call, a answer) *result {
	r := &result{Call: v.curl(c), Status: a.Status}
	if a.Status >= http.StatusBadRequest {
		r.Message = a.Message()
	}
	r.Answer = evidence.View(nil, &recording.Body{Bytes: a.Body}, "", "").Body
	return r
}

// IsRefused reports whether the server refused the call.
func (r *result) IsRefused() bool { return r.Status >= http.StatusBadRequest }

// Class is the class of the status.
func (r *result) Class() string { return evidence.Class(r.Status) }

// results keeps what became of the last calls, for the pages that show it.
type results struct {
	mu   sync.Mutex
	kept map[string]*result
	ids  []string // in order
}

// maxResults is the number of results that are kept.
const maxResults = 100

func (s *results) put(r *result) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = rand.Text()
	s.kept[id], s.ids = r, append(s.ids, id)
	if len(s.ids) > maxResults {
		delete(s.kept, s.ids[0])
		s.ids = s.ids[1:]
	}
	return id
}

func (s *results) get(id string) *result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[id]
}
