package specs

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"

	"svc.example/understudy/specs/source"
)

// router finds the path of a request in a chi tree. All methods of a path share one node, so that one look-up also
// shows which methods would have been allowed.
type router struct {
	mux   *chi.Mux
	paths map[string]*pathOperations // by chi pattern
	fixed map[string]*pathOperations // those of paths without parameters, which come before others

	// of the operations of a method alone, which are asked where the path that comes first lacks the method
	byMethod map[string]func() router

	ends map[byte]int // what stands behind parameters within a segment, as in {name}.json: how often one has it
}

type pathOperations struct {
	operations []*Operation
	allow      string
	adjacent   bool
	fixed      int      // characters that are no parameters
	suffixes   []string // what the last parameter may be, when it is glued to the one before: {table_name}{path_format}
}

// maxParams is the number of parameters that a path may have; a match has room for as many without allocating.
const maxParams = 10

// Match is the result of routing. Operation is nil when the path is known but the method is not (Allow then lists the
// methods that are) or when nothing fits (Allow is empty).
type Match struct {
	Operation *Operation
	Allow     string // value of an Allow header

	names    []string
	declared []string
	values   [maxParams]string // escaped
}

// Matched returns a match with path parameters alone, for a handler that is called without a request. Names and values
// come in pairs.
func Matched(pairs ...string) *Match {
	m := &Match{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m.names, m.values[i/2] = append(m.names, pairs[i]), url.PathEscape(pairs[i+1])
	}
	m.declared = m.names
	return m
}

// Param returns a path parameter, unescaped, or the empty string. The name is ours if the operation is one of ours.
func (m *Match) Param(name string) string { return Unescaped(m.value(m.names, name)) }

// Declared returns a path parameter by the name that the document gives it, which a user's own may choose.
func (m *Match) Declared(name string) string { return Unescaped(m.Escaped(name)) }

// Escaped returns a path parameter as Declared does, but escaped, as in the path.
func (m *Match) Escaped(name string) string { return m.value(m.declared, name) }

// Params returns the path parameters, unescaped, by the names that the document gives them.
func (m *Match) Params() map[string]string {
	params := make(map[string]string, len(m.declared))
	for i, name := range m.declared {
		params[name] = m.values[i]
	}
	return params
}

// First returns the first path parameter, unescaped, or the empty string.
func (m *Match) First() string { return Unescaped(m.values[0]) }

func (m *Match) value(names []string, name string) string {
	for i, n := range names {
		if n == name {
			return m.values[i]
		}
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// template returns a path with its parameters' names taken away: what identifies it to a router.
func template(path string) string { return placeholder.ReplaceAllString(trimSlashes(path), "{}") }

// route makes the routers of a document whose operations have their paths. Operations to which no request can lead are
// left out: among them those whose path differs from another one in the names of parameters alone, which must not be
// (Path Templating).
func (d *Document) route() {
	for _, op := range d.Operations {
		op.name = op.Name()
		op.names, op.declared = parameterNames(op.Path), parameterNames(op.Template)
	}
	d.router = newRouter(d.Operations, func(op *Operation) string { return op.Path }, func(op *Operation, reason error) {
		d.Ignored = append(d.Ignored, Ignored{Pointer: op.Pointer, Reason: reason.Error()})
	})
	for _, left := range d.Ignored {
		d.Operations = slices.DeleteFunc(d.Operations, func(op *Operation) bool {
			isLeft := op.Pointer == left.Pointer
			if isLeft {
				delete(d.byID, op.ID)
			}
			return isLeft
		})
	}
	if slices.ContainsFunc(d.Operations, (*Operation).differsInPath) {
		written := newRouter(d.Operations, func(op *Operation) string { return op.Template }, func(*Operation, error) {})
		d.written = &written
	}
}

// differsInPath reports whether the path in the document differs from ours in more than the names of parameters.
func (o *Operation) differsInPath() bool { return template(o.Path) != template(o.Template) }

func newRouter(operations []*Operation, pathOf func(*Operation) string, leaveOut func(*Operation, error)) router {
	r := router{
		mux: chi.NewRouter(), paths: map[string]*pathOperations{}, fixed: map[string]*pathOperations{},
		byMethod: map[string]func() router{}, ends: map[byte]int{},
	}
	for _, op := range operations {
		path := pathOf(op)
		if path == "" { // it is not below the base path, so that no request reaches it
			continue
		}
		if err := r.add(op, path); err != nil {
			leaveOut(op, err)
		}
		if r.byMethod[op.Method] == nil {
			r.byMethod[op.Method] = sync.OnceValue(func() router {
				isOther := func(other *Operation) bool { return other.Method != op.Method }
				ofMethod := slices.DeleteFunc(slices.Clone(operations), isOther)
				alone := newRouter(ofMethod, pathOf, func(*Operation, error) {})
				alone.byMethod = nil
				return alone
			})
		}
	}
	return r
}

func (r *router) add(op *Operation, path string) (err error) {
	defer func() { // chi panics on a pattern that it cannot hold
		if p := recover(); p != nil {
			err = fmt.Errorf("route: %v", p)
		}
	}()
	if len(op.names) > maxParams {
		return fmt.Errorf("path %s has more than %d parameters", path, maxParams)
	}
	pattern, glued := splitAdjacentParams(canonical(numbered(path), true))
	pattern = trimSlashes(pattern)
	p := r.paths[pattern]
	if p == nil {
		r.mux.Handle(pattern, http.NotFoundHandler())
		r.noteEnds(pattern)
		p = &pathOperations{adjacent: glued, fixed: len(placeholder.ReplaceAllString(pattern, ""))}
		if glued {
			p.suffixes = op.suffixes()
		}
		r.paths[pattern] = p
		if !strings.ContainsAny(pattern, "{*") {
			r.fixed[pattern] = p
		}
	}
	isKnown := false
	for _, before := range p.operations {
		isSame := trimSlashes(before.Template) == trimSlashes(op.Template) // but for a slash at the end
		if before.Method == op.Method && !isSame || p.adjacent != glued {
			return fmt.Errorf("%s %s and %s %s differ only in the names of their parameters",
				before.Method, before.Template, op.Method, op.Template)
		}
		isKnown = isKnown || before.Method == op.Method
	}
	p.operations = append(p.operations, op)
	if !isKnown {
		p.allow = strings.TrimPrefix(p.allow+", "+op.Method, ", ")
	}
	return nil
}

// noteEnds notes what ends parameters in the segments of a pattern. What is written as an escape, or separates the
// items of a value, is left to chi.
func (r *router) noteEnds(pattern string) {
	for segment := range strings.SplitSeq(pattern, "/") {
		fixed := placeholder.ReplaceAllString(segment, "\x00")
		for i := 1; i < len(fixed); i++ {
			if c := fixed[i]; fixed[i-1] == 0 && strings.IndexByte("\x00%,;=", c) < 0 {
				r.ends[c] = max(r.ends[c], strings.Count(fixed, string(c)))
			}
		}
	}
}

// withoutEnds returns a path in whose segments all that may end a parameter is escaped, but for as many at the end as a
// path of the document has, less some, and one at least: for chi a parameter ends at the first. It reports whether it
// could be called for fewer.
func (r *router) withoutEnds(path string, less int) (escaped string, isMore bool) {
	segments := strings.Split(path, "/")
	for c, n := range r.ends {
		isMore = isMore || n-less > 1
		for i, segment := range segments {
			if surplus := strings.Count(segment, string(c)) - max(n-less, 1); surplus > 0 {
				segments[i] = strings.Replace(segment, string(c), escapeOf(c), surplus)
			}
		}
	}
	return strings.Join(segments, "/"), isMore
}

func escapeOf(c byte) string { return fmt.Sprintf("%%%02X", c) }

// trimSlashes takes away the slashes of a path that make no difference on any interface: those of empty segments, and
// one at the end.
func trimSlashes(path string) string {
	if path = MergeSlashes(path); path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// MergeSlashes returns an escaped path with one slash in place of several in a row: clients often join the address of a
// service and a path with one slash too many. An escaped slash (%2F) belongs to a value, and stays.
func MergeSlashes(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// Below returns what follows a prefix of an escaped path, and reports whether the prefix ends at the end of a segment.
// The prefix has neither a slash at its end nor empty segments. Slashes too many before or in it make no difference,
// and those behind it stay.
func Below(path, prefix string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(path, prefix); ok {
		return rest, rest == "" || rest[0] == '/'
	}
	if !strings.Contains(path, "//") {
		return "", false
	}
	for segment := range strings.SplitSeq(prefix, "/") {
		if segment == "" {
			continue
		}
		inner := strings.TrimLeft(path, "/")
		if inner == path {
			return "", false
		}
		if path, ok = strings.CutPrefix(inner, segment); !ok || path != "" && path[0] != '/' {
			return "", false
		}
	}
	return path, true
}

// worldsPrefix begins the paths at which a mock serves one of its worlds: /_worlds/{id}.
const worldsPrefix = "/_worlds"

// CutWorld takes away the prefix of a path that chooses a world of a mock, if it has one.
func CutWorld(path string) (world, rest string) {
	below, ok := Below(path, worldsPrefix)
	if !ok {
		return "", path
	}
	below = strings.TrimLeft(below, "/")
	if i := strings.IndexByte(below, '/'); i >= 0 {
		return below[:i], below[i:]
	}
	return below, ""
}

// numbered returns a path whose parameters have numbers for names: chi wants their names to differ, and reads regular
// expressions in them.
func numbered(path string) string {
	n := 0
	return placeholder.ReplaceAllStringFunc(path, func(string) string {
		n++
		return "{" + strconv.Itoa(n) + "}"
	})
}

// canonical returns an escaped path in the form in which paths are compared: what may stand as it is does, and all else
// is escaped (RFC 3986, 6.2.2). What separates the items of a value does so only where it is not escaped, so that it
// stays as it is written. Templates have parameters in braces.
func canonical(path string, isTemplate bool) string {
	i := 0
	for i < len(path) && isPlain[path[i]] {
		i++
	}
	if i == len(path) {
		return path
	}
	b := append(make([]byte, 0, 2*len(path)), path[:i]...)
	for ; i < len(path); i++ {
		switch c := path[i]; {
		case c == '%' && i+2 < len(path):
			plain, err := strconv.ParseUint(path[i+1:i+3], 16, 8)
			if err == nil && isPlain[plain] && strings.IndexByte("/,;=", byte(plain)) < 0 {
				b = append(b, byte(plain))
			} else {
				b = append(b, strings.ToUpper(path[i:i+3])...)
			}
			i += 2
		case isPlain[c], c == '%', isTemplate && (c == '{' || c == '}'):
			b = append(b, c)
		default:
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return string(b)
}

// isPlain holds the characters that stand in a path as they are (RFC 3986, 3.3), but for the asterisk, which the router
// takes for any path.
var isPlain = func() (plain [256]bool) {
	for c := range plain {
		isWord := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		plain[c] = isWord || strings.IndexByte("-._~!$&'()+,;=:@/", byte(c)) >= 0
	}
	return plain
}()

// splitAdjacentParams returns a path whose last segment has one parameter where it had two, one right behind the other.
// A tree of segments cannot hold such a pair; Find takes it apart.
func splitAdjacentParams(path string) (string, bool) {
	before, last, found := strings.Cut(path, "}{")
	if !found || strings.Contains(last, "/") {
		return path, false
	}
	return before + "}", true
}

// suffixes returns the values that the document lists for the last path parameter, or else those that ours lists.
func (o *Operation) suffixes() []string {
	if len(o.declared) == 0 {
		return nil
	}
	var list []string
	p := o.Parameters.GetByInAndName(openapi3.ParameterInPath, o.declared[len(o.declared)-1])
	if p != nil && p.Schema != nil && p.Schema.Value != nil {
		for _, value := range p.Schema.Value.Enum {
			if text, _ := value.(string); text != "" {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 && o.Embedded != nil && o.Embedded != o {
		return o.Embedded.suffixes()
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

// FindWritten finds an operation as Find does, for a path as a user's own document writes it: one that begins after its
// server's base path, where that is not ours.
func (d *Document) FindWritten(method, escapedPath string) Match {
	if d.written == nil {
		return Match{}
	}
	return d.written.find(method, escapedPath)
}

func (r *router) find(method, escapedPath string) (m Match) {
	r.first(&m, method, escapedPath)
	if others := r.byMethod[method]; m.Operation == nil && m.Allow != "" && others != nil {
		alone, other := others(), Match{}
		if alone.first(&other, method, escapedPath); other.Operation != nil {
			return other
		}
	}
	return m
}

// first finds the path that comes first, whether or not it has the method. The match is empty before.
func (r *router) first(m *Match, method, escapedPath string) {
	isBelow := strings.HasSuffix(escapedPath, "/")
	escapedPath = canonical(trimSlashes(escapedPath), false)
	if path := r.fixed[escapedPath]; path != nil {
		path.match(m, method, isBelow)
		return
	}
	ctx := contexts.Get().(*chi.Context)
	defer contexts.Put(ctx)
	path := r.look(ctx, escapedPath)
	if path == nil {
		return
	}
	for i, value := range ctx.URLParams.Values {
		for c := range r.ends { // no escape of it is in a canonical path
			value = strings.ReplaceAll(value, escapeOf(c), string(c))
		}
		if plain, err := url.PathUnescape(value); err != nil || plain == "" {
			return
		}
		m.values[i] = value
	}
	path.match(m, method, isBelow)
	m.splitSuffix(path.suffixes)
}

// look finds the path that comes first, and leaves the values of its parameters in the context. Where parameters may
// end in several ways, it is the one of which most is written in the document.
func (r *router) look(ctx *chi.Context, escapedPath string) *pathOperations {
	if len(r.ends) == 0 {
		return r.node(ctx, escapedPath)
	}
	var best *pathOperations
	text := escapedPath
	for less, isMore := 0, true; isMore; less++ {
		var reading string
		reading, isMore = r.withoutEnds(escapedPath, less)
		if path := r.node(ctx, reading); path != nil && (best == nil || path.fixed > best.fixed) {
			best, text = path, reading
		}
	}
	return r.node(ctx, text)
}

func (r *router) node(ctx *chi.Context, escapedPath string) *pathOperations {
	ctx.Reset()
	return r.paths[r.mux.Find(ctx, http.MethodGet, escapedPath)]
}

// match enters all but the values of parameters. Of two operations of the method whose paths differ in a slash at the
// end alone, it is the one that is written as the request.
func (p *pathOperations) match(m *Match, method string, isBelow bool) {
	m.Allow = p.allow
	m.name(p.operations[0])
	for _, op := range p.operations {
		if op.Method == method && (m.Operation == nil || strings.HasSuffix(op.Template, "/") == isBelow) {
			m.Operation = op
			m.name(op)
		}
	}
}

func (m *Match) name(op *Operation) { m.names, m.declared = op.names, op.declared }

// splitSuffix sets the last of two adjacent parameters, if the value ends in one of the values that the document lists.
// Otherwise the last one is empty.
func (m *Match) splitSuffix(suffixes []string) {
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
	for _, op := range d.All() {
		n := 4 * source.Distance(withTemplateParameters(path, op.Path), op.Path)
		if op.Method != method {
			n++
		}
		if distance < 0 || n < distance {
			best, distance = op.Method+" "+op.Path, n
		}
	}
	return best
}

// withTemplateParameters returns a path in which segments at the places of the template's parameters are replaced by
// these, so that only the fixed segments of a path count as different.
func withTemplateParameters(path, template string) string {
	want := strings.Split(template, "/")
	got := strings.Split(path, "/")
	for i := range got {
		if i < len(want) && strings.HasPrefix(want[i], "{") && got[i] != "" {
			got[i] = want[i]
		}
	}
	return strings.Join(got, "/")
}
