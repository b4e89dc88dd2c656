// Package match decides whether a call is one of those that were described: by operation, address, caller, and
// parts of the request. Faults, stubs, and the journal's counts share it.
package match

import (
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Calls describes calls. Its zero value means all calls of documented operations.
type Calls = fixtures.Calls

// Documents are those by which interfaces are served.
type Documents struct {
	Names []specs.Interface // of the interfaces
	Of    func(specs.Interface) (*specs.Document, error)
}

// Serves returns an error unless there is an interface of the name.
func (d Documents) Serves(field string, name specs.Interface) error {
	if slices.Contains(d.Names, name) {
		return nil
	}
	return op.Invalid(field, "unknown interface %q; want %s", name, source.OneOf(string(name), specs.NamesOf(d.Names)))
}

// Key identifies an operation.
type Key struct {
	Interface specs.Interface
	ID        string
}

// KeyOf returns the key of an operation.
func KeyOf(o *specs.Operation) Key { return Key{o.Interface, o.ID} }

// Matcher is a description of calls that was checked. It is immutable, and safe for concurrent use.
type Matcher struct {
	calls      Calls
	operations map[Key]bool // nil: all
	paths      map[specs.Interface]string
	body       any // decoded
	patterns   patterns
}

// Compile checks a description against the documents. It loads no more of them than it needs. What is wrong is an
// *op.Error that names the field, or several joined.
func Compile(c Calls, documents Documents) (*Matcher, error) {
	m := &Matcher{calls: c}
	m.calls.Method = strings.ToUpper(c.Method)
	if err := errors.Join(m.checkWords(documents), m.decodeBody(), m.compilePatterns()); err != nil {
		return nil, err
	}
	if c.Operation == "" && c.Interface == "" && c.Method == "" && c.Path == "" {
		return m, nil
	}
	named, err := m.named(documents)
	if err != nil {
		return nil, err
	}
	m.operations, m.paths = map[Key]bool{}, map[specs.Interface]string{}
	for _, o := range named {
		pattern := below(c.Path, o.Document.BasePath)
		if m.calls.Method != "" && o.Method != m.calls.Method || c.Path != "" && !couldFit(pattern, o.Path) {
			continue
		}
		m.operations[KeyOf(o)] = true
		m.paths[o.Interface] = pattern
	}
	if len(m.operations) == 0 {
		return nil, m.noneFits(named)
	}
	return m, nil
}

var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// The limits of a name or a pattern, with which every call is compared.
const (
	maxWord         = 2000 // bytes
	maxAlternatives = 100
)

// alternatives returns how many patterns without braces one with braces stands for.
func alternatives(pattern string) int {
	all, inBraces := 1, 1
	for _, sign := range pattern {
		switch sign {
		case '{':
			inBraces = 1
		case ',':
			inBraces++
		case '}':
			all = min(all*inBraces, maxAlternatives+1)
		}
	}
	return all
}

// checkWords checks what needs no document.
func (m *Matcher) checkWords(documents Documents) error {
	c := m.calls
	for name, word := range map[string]string{
		"interface": string(c.Interface), "method": c.Method, "path": c.Path, "operation": c.Operation,
	} {
		if len(word) > maxWord || alternatives(word) > maxAlternatives {
			return op.Invalid(name, "want at most %d bytes, and braces with at most %d alternatives", maxWord, maxAlternatives)
		}
	}
	var errs []error
	if c.Interface != "" {
		errs = append(errs, documents.Serves("interface", c.Interface))
	}
	if c.Method != "" && !slices.Contains(methods, c.Method) {
		errs = append(errs, op.Invalid("method", "unknown method %q; want %s", c.Method, source.OneOf(c.Method, methods)))
	}
	if c.Path != "" && (c.Path[0] != '/' && c.Path[0] != '*' || !doublestar.ValidatePattern(c.Path)) {
		errs = append(errs, op.Invalid("path", "%q is not a valid pattern: want one such as /api/pools/* or /api/**", c.Path))
	}
	if _, err := path.Match(c.Operation, ""); err != nil {
		errs = append(errs, op.Invalid("operation", "%q is not a valid pattern: want one such as core.*", c.Operation))
	}
	return errors.Join(errs...)
}

// named returns the operations of the interface and the names that were given.
func (m *Matcher) named(documents Documents) (named []*specs.Operation, err error) {
	interfaces := documents.Names
	if iface, _, found := strings.Cut(m.calls.Operation, "."); found && !strings.ContainsAny(iface, `*?[\`) {
		if interfaces = []specs.Interface{specs.Interface(iface)}; !slices.Contains(documents.Names, interfaces[0]) {
			return nil, op.Invalid("operation", "unknown operation %q; want the name of an interface, %s, a dot and an id",
				m.calls.Operation, source.OneOf(iface, specs.NamesOf(documents.Names)))
		}
	}
	var ids []string
	for _, iface := range interfaces {
		if m.calls.Interface != "" && iface != m.calls.Interface {
			continue
		}
		document, err := documents.Of(iface)
		if err != nil {
			return nil, err
		}
		for _, o := range document.All() {
			ids = append(ids, o.Name())
			if fits, _ := path.Match(m.calls.Operation, o.Name()); fits || m.calls.Operation == "" {
				named = append(named, o)
			}
		}
	}
	if len(named) == 0 {
		return nil, op.Invalid("operation", "unknown operation %q%s; understudy operations lists all", m.calls.Operation,
			m.hint(ids))
	}
	return named, nil
}

// hint names the interface that excludes an operation, or the name that was probably meant.
func (m *Matcher) hint(ids []string) string {
	if m.calls.Interface != "" {
		return " of the interface " + string(m.calls.Interface)
	}
	if best, _, similar := strings.Cut(source.OneOf(m.calls.Operation, ids), ", or one of "); similar {
		return "; want perhaps " + best
	}
	return ""
}

// noneFits returns why no operation has the address that was given.
func (m *Matcher) noneFits(named []*specs.Operation) error {
	field := "path"
	if m.calls.Path == "" {
		field = "method"
	}
	address := strings.TrimSpace(m.calls.Method + " " + m.calls.Path)
	if len(named) == 1 {
		return op.Invalid(field, "%s is %s %s, and not %s", named[0].Name(), named[0].Method, named[0].Path, address)
	}
	return op.Invalid(field, "no operation fits %s; want one below the interface, such as GET /api/pools/*", address)
}

// Operations returns the operations that calls may be of, sorted; nil: all that are documented.
func (m *Matcher) Operations() []Key {
	if m.operations == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(m.operations), func(a, b Key) int {
		return strings.Compare(string(a.Interface)+"."+a.ID, string(b.Interface)+"."+b.ID)
	})
}

// address returns the only path below an interface that calls may have, or the empty string if several are possible.
func (m *Matcher) address(iface specs.Interface) string {
	pattern := m.paths[iface]
	if strings.ContainsAny(pattern, `*?[]{}\`) {
		return ""
	}
	return pattern
}

// Matches reports whether a call is one of those that were described. The operation is nil if the request fits none;
// such a request is never meant.
func (m *Matcher) Matches(operation *specs.Operation, r *Request) bool {
	if operation == nil || !m.fitsCaller(r) || m.operations != nil && !m.operations[KeyOf(operation)] {
		return false
	}
	if pattern := m.paths[operation.Interface]; pattern != "" && !doublestar.MatchUnvalidated(pattern, r.unescaped()) {
		return false
	}
	parts := &m.calls.Request
	return haveAll(parts.Query, r.parameter, isEqual) && haveAll(parts.Headers, r.Header.Values, isEqual) &&
		(m.body == nil || contains(r.Decoded(), m.body)) && m.patterns.match(r)
}
