package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/internal/jsontree"
)

// The addresses of a server that the console asks.
const (
	controlPath = "/_understudy/"
	worldHeader = "X-Understudy-World"

	targetHeader = "X-Understudy-Target"
)

// client asks a server, in the name of the person whose request it serves.
type client struct {
	server http.Handler
	ctx    context.Context //nolint:containedctx // of the person's request
	host   string
	secure bool
	token  string // of the control interface; empty if the person has shown none
}

// call is a request to the server.
type call struct {
	Method string
	Path   string // of the server, escaped, with the query: /_understudy/worlds
	Header [][2]string
	Body   []byte
}

// answer is the response of the server.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// get asks the control interface, and decodes the answer. The path is below /_understudy/. A refusal is a *refusal.
func (c *client) get(path string, into any) error {
	a, err := c.send(call{Method: http.MethodGet, Path: controlPath + path})
	switch {
	case err != nil:
		return err
	case a.Status != http.StatusOK:
		return &refusal{a}
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fmt.Errorf("read the answer to GET %s%s: %w", controlPath, path, err)
	}
	return nil
}

// send sends a request to the server within the process.
func (c *client) send(call call) (answer, error) {
	r, err := http.NewRequestWithContext(c.ctx, call.Method, call.Path, bytes.NewReader(call.Body))
	if err != nil {
		return answer{}, &refusal{answer{Status: http.StatusBadRequest, Body: []byte(err.Error())}}
	}
	r.Host, r.RemoteAddr = c.host, "console"
	r.RequestURI = call.Path
	for _, line := range call.Header {
		r.Header.Add(line[0], line[1])
	}
	if c.token != "" && strings.HasPrefix(call.Path, controlPath) {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if len(call.Body) > 0 && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := &keeper{header: http.Header{}}
	c.server.ServeHTTP(w, r)
	if err := c.ctx.Err(); err != nil {
		return answer{}, err
	}
	return answer{Status: w.status, Header: w.header, Body: w.body.Bytes()}, nil
}

// refusal is an answer other than the one that was hoped for.
type refusal struct{ answer }

// Error returns the message of the answer.
func (r *refusal) Error() string { return r.Message() }

// Message returns what the answer says, in whatever form it says so.
func (a answer) Message() string {
	body := jsontree.Parse(a.Body)
	for _, text := range []jsontree.Value{body.Get("error", "message"), body.Get("error"), body.Get("message")} {
		if text.IsString() && text.Text() != "" {
			return text.Text()
		}
	}
	if len(a.Body) > 0 && len(a.Body) < 1000 {
		return string(a.Body)
	}
	return fmt.Sprintf("the answer is %d %s", a.Status, http.StatusText(a.Status))
}

// keeper is a ResponseWriter that keeps the answer.
type keeper struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *keeper) Header() http.Header { return k.header }

func (k *keeper) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

func (k *keeper) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(b)
}

var _ io.Writer = (*keeper)(nil)

// setPath sets the path of an address, which is escaped.
func setPath(u *url.URL, escaped string) {
	if escaped == "" {
		escaped = "/"
	}
	u.RawPath = escaped
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path = plain
	} else {
		u.Path = escaped
	}
}
