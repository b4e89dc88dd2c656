package snippet

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// url returns the address of a request, at the server that was chosen.
func (c *config) url(e *recording.Exchange) string {
	if c.address == "" {
		return e.Request.URL
	}
	path := ""
	if _, rest, found := strings.Cut(e.Request.URL, "://"); found {
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			path = rest[i:]
		}
	}
	return strings.TrimSuffix(c.address, "/") + path
}

// request is the request of an exchange as a program sends it.
type request struct {
	method  string
	url     *url.URL          // without user and fragment
	headers recording.Headers // but for those that a client sets by itself
	body    []byte
}

func (c *config) request(e *recording.Exchange) (*request, error) {
	u, err := url.Parse(escaped(c.url(e)))
	if err == nil && u.Host == "" {
		err = fmt.Errorf("want an absolute address")
	}
	if err != nil {
		return nil, fmt.Errorf("the address of exchange %d: %w", e.Seq, err)
	}
	r := &request{method: e.Request.Method, url: u, body: bodyOf(e)}
	isAuthorized := false
	for _, h := range e.Request.Headers {
		if !isOwnHeader(h[0]) && isHeader(h) {
			r.headers = append(r.headers, h)
			isAuthorized = isAuthorized || strings.EqualFold(h[0], "Authorization")
		}
	}
	if u.User != nil && !isAuthorized {
		r.headers = append(r.headers, [2]string{"Authorization", "Basic " + basic(u.User)})
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return r, nil
}

// basic returns a user and a password as a header has them, or the mark in their place.
func basic(user *url.Userinfo) string {
	if name := user.Username(); marked.MatchString(name) {
		return name
	}
	password, _ := user.Password()
	return base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
}

// escaped returns an address with what clients refuse in one escaped: control characters, spaces, and all that is not
// ASCII.
func escaped(address string) string {
	var b strings.Builder
	for _, c := range []byte(address) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// place is the interface that a request is for, and the address below it.
type place struct {
	document *specs.Document
	path     string // escaped, below the base path of the document
	query    string // with its question mark
}

// locate finds the place of a request: by the operation of the exchange, by a path that begins with the name of an
// interface, or by a host that does.
func (c *config) locate(e *recording.Exchange, r *request) (place, error) {
	path, query := specs.MergeSlashes(r.url.EscapedPath()), ""
	if r.url.RawQuery != "" {
		query = "?" + r.url.RawQuery
	}
	if name, _, found := strings.Cut(e.Operation, "."); found {
		document, err := specs.Load(specs.Interface(name), c.brand)
		if err != nil {
			return place{}, fmt.Errorf("exchange %d: %w", e.Seq, err)
		}
		for i := range len(path) {
			if path[i] != '/' {
				continue
			}
			if op := document.Find(r.method, path[i:]).Operation; op != nil && op.Name() == e.Operation {
				return place{document, path[i:], query}, nil
			}
		}
	}
	for _, name := range specs.Interfaces() {
		if p, ok := c.placeIn(name, r.url, path); ok {
			p.query = query
			return p, nil
		}
	}
	return place{}, fmt.Errorf("the address of exchange %d does not belong to an interface", e.Seq)
}

// placeIn returns the place of a path, if its first part, or the first part of the host, is the interface.
func (c *config) placeIn(name specs.Interface, u *url.URL, path string) (place, bool) {
	_, path = specs.CutWorld(path)
	rest, found := strings.CutPrefix(path, "/"+string(name)+"/")
	if label, _, _ := strings.Cut(u.Host, "."); !found && strings.EqualFold(label, string(name)) {
		rest, found = strings.TrimPrefix(path, "/"), true
	}
	if !found {
		return place{}, false
	}
	document, err := specs.Load(name, c.brand)
	if err != nil {
		return place{}, false
	}
	below, isBelow := strings.CutPrefix("/"+rest, document.BasePath)
	return place{document: document, path: below}, isBelow
}

// mockAddress returns the address at which a mock in a test of Go has the place.
func (p place) mockAddress() string {
	return "https://" + string(p.document.Interface) + ".svc.example" + p.document.BasePath + p.path + p.query
}

// storyPath returns the path by which a story names the place.
func (p place) storyPath() string {
	return "/" + string(p.document.Interface) + p.document.BasePath + p.path + p.query
}

// status returns the status of the answer, 0 without one.
func status(e *recording.Exchange) int {
	if e.Response == nil {
		return 0
	}
	return e.Response.Status
}

// mockKey returns the key that a request to a mock shows in the place of one that the recording hides: the
// administrator's, which every scenario has, or one that none has if the request was refused for its key.
func mockKey(e *recording.Exchange) string {
	if status(e) == http.StatusUnauthorized {
		return "1/unknown"
	}
	return "1/admin"
}

// marked matches the mark that replaces a secret, in a query with its brackets escaped.
var marked = regexp.MustCompile(`(?:\[|%5B)redacted(?::|%3A)[0-9a-f]{8}(?:\]|%5D)`)

// piece is a part of a text: plain, or a secret that a mark has replaced.
type piece struct {
	text      string
	secret    int  // its number, from 1; 0: the text is plain
	isEscaped bool // the secret stands in an address
}

// secrets numbers the secrets of an exchange in the order in which they are met.
type secrets struct {
	marks      []string
	hasEscapes bool // a variable stands in an address
}

// split divides a text at its marks.
func (s *secrets) split(text string) (pieces []piece) {
	from := 0
	for _, at := range marked.FindAllStringIndex(text, -1) {
		if from < at[0] {
			pieces = append(pieces, piece{text: text[from:at[0]]})
		}
		mark := text[at[0]:at[1]]
		pieces = append(pieces, piece{secret: s.number(mark), isEscaped: strings.Contains(mark, "%5B")})
		from = at[1]
	}
	if from < len(text) {
		pieces = append(pieces, piece{text: text[from:]})
	}
	return pieces
}

// number returns the number of the secret that a mark has replaced, the same for the same secret.
func (s *secrets) number(mark string) int {
	mark = strings.NewReplacer("%5B", "[", "%3A", ":", "%5D", "]").Replace(mark)
	if i := slices.Index(s.marks, mark); i >= 0 {
		return i + 1
	}
	s.marks = append(s.marks, mark)
	return len(s.marks)
}

// sum returns a text as a sum of literals and values of variables, in the syntax of a language.
func (s *secrets) sum(text, plus string, literal func(string) string, value func(string, bool) string) string {
	var terms []string
	for _, p := range s.split(text) {
		if p.secret == 0 {
			terms = append(terms, literal(p.text))
			continue
		}
		s.hasEscapes = s.hasEscapes || p.isEscaped
		terms = append(terms, value(variable(p.secret), p.isEscaped))
	}
	if len(terms) == 0 {
		return literal("")
	}
	return strings.Join(terms, plus)
}

// variables returns the names of the variables for all secrets.
func (s *secrets) variables() (names []string) {
	for i := range s.marks {
		names = append(names, variable(i+1))
	}
	return names
}

// variable returns the name of the variable for a secret: KEY, KEY2 and so on.
func variable(number int) string {
	if number == 1 {
		return "KEY"
	}
	return fmt.Sprintf("KEY%d", number)
}
