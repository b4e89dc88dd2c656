package specs

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
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
func template(path string) string { return placeholder.ReplaceAllString(path, "{}") }

func newRouter(operations []*Operation) (r router, err error) {
	r = router{mux: chi.NewRouter(), paths: map[string]*pathOperations{}}
	defer func() { // chi panics on a pattern that it cannot hold
		if p := recover(); p != nil {
			err = fmt.Errorf("route: %v", p)
		}
	}()
	seen := map[string]string{}
	for _, op := range operations {
		if other, ok := seen[template(op.Path)]; ok && other != op.Path {
			return r, fmt.Errorf("paths %s and %s differ only in the names of their parameters", other, op.Path)
		}
		seen[template(op.Path)] = op.Path
		p := r.paths[op.Path]
		if p == nil {
			p = &pathOperations{names: parameterNames(op.Path)}
			if len(p.names) > maxParams {
				return r, fmt.Errorf("path %s has more than %d parameters", op.Path, maxParams)
			}
			r.paths[op.Path] = p
			r.mux.Handle(op.Path, http.NotFoundHandler())
		}
		p.operations = append(p.operations, op)
		p.allow = strings.TrimPrefix(p.allow+", "+op.Method, ", ")
	}
	return r, nil
}

func parameterNames(path string) []string {
	names := placeholder.FindAllString(path, -1)
	for i, name := range names {
		names[i] = strings.Trim(name, "{}")
	}
	return names
}

var contexts = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// Find gives a request to an operation. The path is the escaped one, below the interface's base path. A parameter
// that is empty or holds a broken escape fits nothing.
func (d *Document) Find(method, escapedPath string) Match {
	ctx := contexts.Get().(*chi.Context)
	defer contexts.Put(ctx)
	ctx.Reset()
	path := d.router.paths[d.router.mux.Find(ctx, http.MethodGet, escapedPath)]
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
	for _, op := range path.operations {
		if op.Method == method {
			m.Operation = op
		}
	}
	return m
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
