package story

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/internal/fold"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

const maxAnswer = 256 << 20 // bytes of an answer that are read

// MissingKeyError is the error for a key of a story for which there is none to show in its place.
type MissingKeyError struct{ Key string }

func (e *MissingKeyError) Error() string {
	return "the story shows the key " + e.Key + ", which only a mock knows: want a key of the server in its place"
}

// MissingAddressError is the error for an interface, or another first part of a path, that has no address.
type MissingAddressError struct{ Interface string }

func (e *MissingAddressError) Error() string {
	return "the story calls the interface " + e.Interface + ", whose address is missing: want one"
}

// send makes a request and keeps the answer.
func (p *player) send(method, path, mediaType string, body []byte) error {
	address, err := p.address(path)
	if err != nil {
		return p.give(err)
	}
	r, err := http.NewRequestWithContext(p.context, method, address, bytes.NewReader(body))
	if err != nil {
		return p.give(err)
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", mediaType)
	}
	maps.Copy(r.Header, p.headers)
	clear(p.headers)
	p.requested, p.operation = method+" "+address, p.server.operationAt(method, path)
	if err := p.authorize(r, path); err != nil {
		return p.give(err)
	}
	if p.server.World != "" {
		r.Header.Set("X-Understudy-World", p.server.World)
	}
	last, err := p.client.Do(r)
	if err != nil {
		return p.give(p.explain(err, address))
	}
	defer last.Body.Close()
	p.last = last
	p.body, err = io.ReadAll(io.LimitReader(last.Body, maxAnswer))
	if err != nil {
		err = p.explain(err, address)
	}
	return p.give(err)
}

// give keeps an error because of which the story cannot go on.
func (p *player) give(err error) error {
	if err != nil {
		p.trouble = err
	}
	return err
}

// authorize shows the key of the story, or the one that is to be shown in its place.
func (p *player) authorize(r *http.Request, path string) error {
	if p.key == nobody {
		return nil
	}
	if token := p.server.ControlToken; token != "" && strings.HasPrefix(path, control+"/") {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	key, ok := p.server.Keys[p.key]
	if !ok {
		key = p.key
	}
	if captured := p.holds(p.key); p.redacts && !ok && !captured && !p.mock {
		return &MissingKeyError{p.key}
	}
	if p.operation == nil {
		r.Header.Set("Authorization", p.server.Brand.Scheme()+" "+key)
		return nil
	}
	for _, credential := range p.operation.Credentials(key) {
		credential.Show(r)
	}
	return nil
}

// holds reports whether a text was captured, out of an answer of the server.
func (p *player) holds(text string) bool {
	for _, value := range p.vars {
		if value == text {
			return true
		}
	}
	return false
}

// address puts the interface, which a path begins with, where the server has it.
func (p *player) address(path string) (string, error) {
	if strings.HasPrefix(path, control+"/") && p.control != "" {
		return p.control + path, nil
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if target, ok := p.server.Targets[specs.Interface(name)]; ok {
		return p.server.targetAddress(specs.Interface(name), target, "/"+rest)
	}
	if p.server.URL == "" {
		return "", &MissingAddressError{name}
	}
	const hosts = "{interface}"
	if !strings.Contains(p.server.URL, hosts) {
		return p.server.URL + path, nil
	}
	return strings.ReplaceAll(p.server.URL, hosts, name) + "/" + rest, nil
}

// targetAddress returns the address of a path of an interface, whose own address may have the base path or not.
func (s *Server) targetAddress(name specs.Interface, target, path string) (string, error) {
	document, err := s.documents().Load(name)
	if err != nil {
		return "", err
	}
	target = strings.TrimSuffix(target, "/")
	if base := document.BasePath; base != "" && strings.HasSuffix(target, base) {
		path = strings.TrimPrefix(path, base)
	}
	return target + path, nil
}

// roots returns the addresses at which a mock would have its control interface.
func (s *Server) roots() (roots []string) {
	if s.URL != "" && !strings.Contains(s.URL, "{") {
		roots = append(roots, s.URL)
	}
	for _, name := range s.documents().Names() {
		u, err := url.Parse(s.Targets[name])
		if root := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(); err == nil && u.Host != "" &&
			!slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// explain returns an error that says why a server could not be reached, without the query of the address, in which
// keys may stand.
func (p *player) explain(err error, address string) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		if failed.Timeout() {
			err = fmt.Errorf("no answer within %v", p.client.Timeout)
		} else {
			err = failed.Err
		}
	}
	at, _, _ := strings.Cut(address, "?")
	return fmt.Errorf("%s: %w", p.clean(at), err)
}

// operationAt returns the operation of a request, or nil if it is for none.
func (s *Server) operationAt(method, path string) *specs.Operation {
	path, _, _ = strings.Cut(path, "?")
	name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	documents := s.documents()
	if documents.Check(specs.Interface(name)) != nil {
		return nil
	}
	document, err := documents.Load(specs.Interface(name))
	if err != nil {
		return nil
	}
	below, ok := specs.Below("/"+rest, document.BasePath)
	if !ok {
		return nil
	}
	return document.Find(method, below).Operation
}

// shown returns the last answer as messages show it: laid out, and without secrets outside of a test.
func (p *player) shown() string { return fold.JSON(string(p.shownBody())) }

func (p *player) shownBody() []byte {
	if !p.redacts || p.last == nil {
		return p.body
	}
	exchange := &recording.Exchange{Response: &recording.Response{
		Status: p.last.StatusCode, Headers: recording.Headers{{"Content-Type", p.last.Header.Get("Content-Type")}},
		Body: &recording.Body{Bytes: p.body},
	}}
	clean := p.redactor().Redact(exchange, p.operation).Response.Body
	return []byte(p.withoutKeys(string(clean.Bytes)))
}

func (p *player) redactor() *recording.Redactor {
	return &recording.Redactor{Brand: cmp.Or(p.server.Brand, specs.Neutral), Salt: []byte("story")}
}

// clean returns a text without the keys that are shown to the server, and without other secrets.
func (p *player) clean(text string) string {
	if !p.redacts {
		return text
	}
	return p.withoutKeys(p.redactor().Text(text))
}

func (p *player) withoutKeys(text string) string {
	for _, key := range p.server.Keys {
		if key != "" {
			text = strings.ReplaceAll(text, key, recording.Mark+"]")
		}
	}
	return text
}
