package specs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
)

// A user's own document may name operations as it likes, or not at all, and its paths may begin elsewhere than ours.
// What identifies an operation is its method and its whole path: the base path of its server and the path below it,
// without the names of parameters.

// identity returns the method and the path of an operation without what two documents may write differently: the names
// of parameters, and a slash at the end.
func identity(method, path string) string { return method + " " + template(path) }

// identify takes the ids of an embedded document, which has one for each operation.
func (d *Document) identify() error {
	d.BasePath = firstBasePath(d.T.Servers)
	var errs []error
	for _, op := range d.Operations {
		op.Embedded = op
		before := d.byID[op.ID]
		switch {
		case op.ID == "":
			errs = append(errs, fmt.Errorf("%s %s has no operationId", op.Method, op.Path))
		case before != nil:
			errs = append(errs, fmt.Errorf("%s %s and %s %s share the operationId %s",
				before.Method, before.Path, op.Method, op.Path, op.ID))
		}
		d.byID[op.ID] = op
	}
	return errors.Join(errs...)
}

// sort puts the operations in the order of the platform's documentation, and those that it does not know behind them,
// by path.
func (d *Document) sort() {
	rank, entries := map[string]int{}, Catalogue()
	for i, entry := range entries {
		if entry.Interface == d.Interface {
			rank[entry.Method+" "+entry.Path] = i - len(entries) // below zero, so that unknown ones come after
		}
	}
	slices.SortFunc(d.Operations, func(a, b *Operation) int {
		return cmp.Or(
			cmp.Compare(rank[a.Method+" "+a.Path], rank[b.Method+" "+b.Path]),
			cmp.Compare(a.Path, b.Path), compareMethods(a, b),
		)
	})
}

func compareMethods(a, b *Operation) int {
	place := func(o *Operation) int { // those of version 3.2 come last
		if i := slices.Index(methods, o.Method); i >= 0 {
			return i
		}
		return len(methods)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Method, b.Method))
}

// identifyBy gives the operations that the embedded document has as well our ids and paths, and all others ids that
// none of ours has.
func (d *Document) identifyBy(embedded *Document) error {
	ours := map[string]*Operation{}
	for _, op := range embedded.All() {
		ours[identity(op.Method, embedded.BasePath+op.Path)] = op
	}
	prefix, found := d.findPathPrefix(embedded.BasePath, ours)
	d.BasePath = prefix
	if found {
		d.BasePath = embedded.BasePath
		d.adoptEmbedded(prefix, ours)
	}
	isBelow := func(op *Operation) bool { return trimBasePath(d.fullPaths(op, prefix)[0], prefix) != "" }
	if d.Interface.IsOwn() && slices.ContainsFunc(d.Operations, func(op *Operation) bool { return !isBelow(op) }) {
		d.BasePath = "" // servers of paths or operations lead elsewhere
	}
	for _, op := range d.Operations {
		if op.Embedded == nil {
			op.Path = trimBasePath(d.fullPaths(op, prefix)[0], d.BasePath)
		}
	}
	return d.nameOwnOperations(embedded)
}

// findPathPrefix returns the path before all paths of the document: the base path of one of its servers, nothing, or
// our base path, whichever matches the most of our operations. If none matches, it is that of the first server.
func (d *Document) findPathPrefix(base string, ours map[string]*Operation) (prefix string, found bool) {
	prefix, most := firstBasePath(d.T.Servers), 0
	for _, candidate := range append(basePaths(d.T.Servers), "", base) {
		n := 0
		for _, op := range d.Operations {
			isOurs := func(path string) bool { return ours[identity(op.Method, path)] != nil }
			if slices.ContainsFunc(d.fullPaths(op, candidate), isOurs) {
				n++
			}
		}
		if n > most {
			prefix, most = candidate, n
		}
	}
	return prefix, most > 0
}

// fullPaths lists the full paths of an operation: below the servers of its own, or of its path, if it has any, and
// below the prefix of all paths.
func (d *Document) fullPaths(op *Operation, prefix string) []string {
	var own openapi3.Servers
	if op.Spec.Servers != nil {
		own = *op.Spec.Servers
	}
	if item := d.T.Paths.Value(op.Template); len(own) == 0 && item != nil {
		own = item.Servers
	}
	whole := basePaths(own)
	for i := range whole {
		whole[i] += op.Template
	}
	return append(whole, prefix+op.Template)
}

// adoptEmbedded gives operations that the embedded document has as well our ids and paths. Of two with the same
// identity, the router refuses the second.
func (d *Document) adoptEmbedded(prefix string, ours map[string]*Operation) {
	taken := map[*Operation]bool{}
	for _, op := range d.Operations {
		for _, path := range d.fullPaths(op, prefix) {
			known := ours[identity(op.Method, path)]
			if op.Embedded == nil && known != nil && !taken[known] {
				op.Embedded, taken[known] = known, true
				op.ID, op.Path = known.ID, known.Path
			}
		}
	}
}

// nameOwnOperations gives an id to each operation that only this document has: its own operationId, unless it has none,
// shares it with another one, or an operation of ours has it.
func (d *Document) nameOwnOperations(embedded *Document) error {
	stated, derived := map[string]int{}, map[string]int{}
	var nameless []*Operation
	for _, op := range d.Operations {
		if op.Embedded == nil {
			stated[op.ID]++
		}
	}
	for _, op := range d.Operations {
		if op.Embedded == nil && (op.ID == "" || stated[op.ID] > 1 || embedded.Operation(op.ID) != nil) {
			op.ID = derivedID(op)
			derived[op.ID]++
			nameless = append(nameless, op)
		}
	}
	for _, op := range nameless {
		if derived[op.ID] > 1 || stated[op.ID] > 0 || embedded.Operation(op.ID) != nil {
			op.ID += sumOf(op)
		}
	}
	for _, op := range d.Operations {
		if before := d.byID[op.ID]; before != nil {
			return fmt.Errorf("%s %s and %s %s share the id %s", before.Method, before.Template, op.Method, op.Template, op.ID)
		}
		d.byID[op.ID] = op
	}
	return nil
}

// derivedID makes an id of method and path: getApiPondsPondId of GET /api/ponds/{pond_id}.
func derivedID(op *Operation) string {
	var id strings.Builder
	id.WriteString(strings.ToLower(op.Method))
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(op.Template, func(r rune) bool { return !isWord(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		id.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return id.String()
}

// sumOf returns a suffix that distinguishes operations whose derived ids are the same.
func sumOf(op *Operation) string {
	sum := sha256.Sum256([]byte(op.Method + " " + op.Template))
	return "_" + hex.EncodeToString(sum[:4])
}

// ServerURLs lists the absolute addresses of the document's servers below which its paths stand, without a slash at the
// end. In a document of the user's own, each server may have a path of its own (Server Object, url). A variable in a
// host that may have any value stands there as *, beside the address with its default: https://*.shop.example.
func (d *Document) ServerURLs() []string {
	isWhole := d.Interface.IsOwn() && d.BasePath == firstBasePath(d.T.Servers)
	return d.addresses(d.T.Servers, isWhole)
}

// ServerURLs lists the absolute addresses of the servers that an operation or its path has of its own, in place of the
// document's, likewise.
func (o *Operation) ServerURLs() []string {
	if o.Spec.Servers != nil && len(*o.Spec.Servers) > 0 {
		return o.Document.addresses(*o.Spec.Servers, false)
	}
	if item := o.Document.T.Paths.Value(o.Template); item != nil {
		return o.Document.addresses(item.Servers, false)
	}
	return nil
}

// addresses lists the addresses of servers, with the base path of the document in place of their own unless they are
// whole.
func (d *Document) addresses(servers openapi3.Servers, isWhole bool) (list []string) {
	for _, server := range servers {
		for _, one := range spelled(server) {
			u, err := url.Parse(one)
			base := strings.TrimSuffix(one, "/")
			if err != nil || u.Host == "" || strings.Contains(u.Host, "*") && !address.IsHostPattern(u.Hostname()) {
				continue
			}
			if !isWhole {
				base = strings.TrimSuffix(base, strings.TrimSuffix(u.Path, "/")) + d.BasePath
			}
			if !slices.Contains(list, base) {
				list = append(list, base)
			}
		}
	}
	return list
}

// maxSpelled bounds the addresses of one server.
const maxSpelled = 100

// spelled returns the address of a server with the default of each variable, and with each of the values that it may
// have, or * for a variable in its host that may have any (Server Variable Object).
func spelled(server *openapi3.Server) []string {
	list := []string{server.URL}
	if strings.HasPrefix(server.URL, "//") { // a network-path reference (RFC 3986, 4.2)
		list = []string{"https:" + server.URL, "http:" + server.URL}
	}
	_, host, _ := strings.Cut(list[0], "://")
	host, path, _ := strings.Cut(host, "/")
	for _, name := range slices.Sorted(maps.Keys(server.Variables)) {
		var next []string
		v, written := server.Variables[name], "{"+name+"}"
		values := append([]string{v.Default}, v.Enum...)
		if len(v.Enum) == 0 && strings.Contains(host, written) && !strings.Contains(path, written) {
			values = append(values, "*")
		}
		for _, address := range list {
			for _, value := range values {
				if one := strings.ReplaceAll(address, written, value); !slices.Contains(next, one) && len(next) < maxSpelled {
					next = append(next, one)
				}
			}
		}
		list = next
	}
	return list
}

// trimBasePath returns a path below a base path, or the empty string if it is not below.
func trimBasePath(path, base string) string {
	rest, ok := strings.CutPrefix(path, base)
	if !ok || !strings.HasPrefix(rest, "/") {
		return ""
	}
	return rest
}

// basePaths returns the base paths of servers, with the defaults of their variables, without a slash at the end.
func basePaths(servers openapi3.Servers) []string {
	var list []string
	for _, server := range servers {
		absolute := *server
		if strings.HasPrefix(server.URL, "//") {
			absolute.URL = "https:" + server.URL
		}
		path, err := absolute.BasePath()
		if err != nil { // it is relative to where the document was, which is unknown
			path = ""
		}
		list = append(list, strings.TrimSuffix(path, "/"))
	}
	return list
}

// firstBasePath returns the base path of the first server, or the empty string.
func firstBasePath(servers openapi3.Servers) string {
	if paths := basePaths(servers); len(paths) > 0 {
		return paths[0]
	}
	return ""
}
