package specs

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
)

// router finds the path of a request in a chi tree. All methods of a path share one node, so that one look-up also
// tells which methods would have been allowed.
type router struct {
	mux   *chi.Mux
	paths map[string]*pathOperations // by chi pattern
}

type pathOperations struct {
	operations []*Operation
	allow      string
	names      []string // of the path's parameters, in order
	suffixes   []string // what the last parameter may be, when it is glued to the one before: {table_name}{path_format}
}

// maxParams is how many parameters a path may have; a match has room for as many without allocating.
const maxParams = 6

// Match is what routing found. Operation is nil when the path is known but the method is not (Allow then lists the
// methods that are) or when nothing fits (Allow is empty).
type Match struct {
	Operation *Operation
	Allow     string // value of an Allow header

	names  []string
	values [maxParams]string
}

// Matched is a match with path parameters alone, for a rule that is called without a request. Names and values come in
// pairs.
func Matched(pairs ...string) *Match {
	m := &Match{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.names, m.values[i/2] = append(m.names, pairs[i]), pairs[i+1]
	}
	return m
}

// Param returns a path parameter, unescaped, or the empty string.
func (m *Match) Param(name string) string {
	for i, n := range m.names {
		if n == name {
			return m.values[i]
		}
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// template is a path with its parameters' names taken away: what identifies it to a router.
func template(path string) string { return placeholder.ReplaceAllString(trimSlash(path), "{}") }

func newRouter(operations []*Operation) (r router, err error) {
	r = router{mux: chi.NewRouter(), paths: map[string]*pathOperations{}}
	defer func() { // chi panics on a pattern that it cannot hold
		if p := recover(); p != nil {
			err = fmt.Errorf("route: %v", p)
		}
	}()
	seen := map[string]string{}
	byPath := map[string]*pathOperations{}
	for _, op := range operations {
		if other, ok := seen[template(op.Path)]; ok && other != op.Path {
			return r, fmt.Errorf("paths %s and %s differ only in the names of their parameters", other, op.Path)
		}
		seen[template(op.Path)] = op.Path
		p := byPath[op.Path]
		if p == nil {
			p = &pathOperations{names: parameterNames(op.Path)}
			pattern, glued := unglued(op.Path)
			if glued {
				p.suffixes = op.suffixes(p.names[len(p.names)-1])
			}
			if len(p.names) > maxParams {
				return r, fmt.Errorf("path %s has more than %d parameters", op.Path, maxParams)
			}
			pattern = trimSlash(pattern)
			r.paths[pattern], byPath[op.Path] = p, p
			r.mux.Handle(pattern, http.NotFoundHandler())
		}
		p.operations = append(p.operations, op)
		p.allow = strings.TrimPrefix(p.allow+", "+op.Method, ", ")
	}
	return r, nil
}

// trimSlash takes one trailing slash away, which makes no difference on any interface.
func trimSlash(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// unglued is a path whose last segment has one parameter where it had two, one right behind the other. A tree of
// segments cannot hold such a pair; Find takes it apart.
func unglued(path string) (string, bool) {
	before, last, found := strings.Cut(path, "}{")
	if !found || strings.Contains(last, "/") {
		return path, false
	}
	return before + "}", true
}

// suffixes are the values that the document lists for a path parameter.
func (o *Operation) suffixes(name string) []string {
	p := o.Parameters.GetByInAndName(openapi3.ParameterInPath, name)
	if p == nil || p.Schema == nil {
		return nil
	}
	var list []string
	for _, value := range p.Schema.Value.Enum {
		if text, _ := value.(string); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func parameterNames(path string) []string {
	names := placeholder.FindAllString(path, -1)
	for i, name := range names {
		names[i] = strings.Trim(name, "{}")
	}
	return names
}

var contexts = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// Find gives a request to an operation. The path is the escaped one, below the interface's base path; a trailing slash
// makes no difference. A parameter that is empty or holds a broken escape fits nothing.
func (d *Document) Find(method, escapedPath string) Match {
	ctx := contexts.Get().(*chi.Context)
	defer contexts.Put(ctx)
	ctx.Reset()
	path := d.router.paths[d.router.mux.Find(ctx, http.MethodGet, trimSlash(escapedPath))]
	if path == nil {
		return Match{}
	}
	m := Match{Allow: path.allow, names: path.names}
	for i, value := range ctx.URLParams.Values {
		plain, err := url.PathUnescape(value)
		if err != nil || plain == "" {
			return Match{}
		}
		m.values[i] = plain
	}
	m.split(path.suffixes)
	for _, op := range path.operations {
		if op.Method == method {
			m.Operation = op
		}
	}
	return m
}

// split takes the last parameter off the end of the one that it is glued to, when it is one of the values that the
// document lists. Otherwise it is empty.
func (m *Match) split(suffixes []string) {
	for _, suffix := range suffixes {
		last := len(m.names) - 1
		if name, found := strings.CutSuffix(m.values[last-1], suffix); found && name != "" {
			m.values[last-1], m.values[last] = name, suffix
		}
	}
}

// Nearest names the documented operation that an unknown path most resembles, as "METHOD path", for a hint.
func (d *Document) Nearest(method, path string) string {
	best, distance := "", -1
	for _, op := range d.Operations {
		n := 4 * levenshtein.ComputeDistance(shape(path, op.Path), op.Path)
		if op.Method != method {
			n++
		}
		if distance < 0 || n < distance {
			best, distance = op.Method+" "+op.Path, n
		}
	}
	return best
}

// shape is path with each segment that stands where the template has a parameter replaced by that parameter, so that
// only the fixed words of a path count as different.
func shape(path, template string) string {
	want := strings.Split(template, "/")
	got := strings.Split(path, "/")
	for i := range got {
		if i < len(want) && strings.HasPrefix(want[i], "{") && got[i] != "" {
			got[i] = want[i]
		}
	}
	return strings.Join(got, "/")
}
