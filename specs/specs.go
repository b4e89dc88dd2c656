// Package specs holds the OpenAPI documents that everything else is driven by, and answers the questions that the
// mock server and the contract suite ask of them: which operation does a request belong to, which schema judges
// its answer, where does a fact stand, and how sure are we of it.
//
// It imports nothing of this module but the files, so that the mock and the contract suite, which never import each
// other, stand on the same ground.
package specs

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy"
	"svc.example/understudy/specs/source"
)

// Interface is the name of an interface, and of its document.
type Interface string

// The interfaces of the platform, and the control interface of the mock itself. The constants have no type, so that
// they are names and plain text.
const (
	Ingestion = "ingestion"
	Audience  = "audience"
	DWH       = "dwh"
	Core      = "core"
	LLM       = "llm"
	Workflow  = "workflow"
	Control   = "control"
)

// Interfaces lists the six interfaces of the platform in the order of its documentation.
func Interfaces() []Interface { return []Interface{Ingestion, Audience, DWH, Core, LLM, Workflow} }

// InterfaceNames lists the six interfaces as plain text.
func InterfaceNames() []string { return NamesOf(Interfaces()) }

// InterfacesOf returns plain names as those of interfaces.
func InterfacesOf(names []string) []Interface {
	list := make([]Interface, len(names))
	for i, name := range names {
		list[i] = Interface(name)
	}
	return list
}

// NamesOf returns the names of interfaces as plain text.
func NamesOf(interfaces []Interface) []string {
	list := make([]string, len(interfaces))
	for i, name := range interfaces {
		list[i] = string(name)
	}
	return list
}

// IsOwn reports whether an interface belongs to neither the platform nor the mock: its document is a user's own.
func (i Interface) IsOwn() bool {
	return i != Control && !strings.HasPrefix(string(i), extrasFolder) && !slices.Contains(Interfaces(), i)
}

// ownName matches the names that a user may give an interface: they stand in paths, host names and variables of the
// environment.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName bounds the length of an interface's name, which is a label of host names.
const maxName = 63

// CheckName refuses what no interface can be called.
func CheckName(name Interface) error {
	if name == Control || len(name) > maxName || !ownName.MatchString(string(name)) {
		return fmt.Errorf("an interface cannot be called %q: want lower-case letters, digits and single hyphens, "+
			"beginning with a letter, such as shop; control is taken", name)
	}
	return nil
}

// Entry is one line of the catalogue: an operation of the platform.
type Entry struct {
	Interface        Interface
	ID, Method, Path string
}

// Name returns the operation's name everywhere: in reports, counts, filters and tests, such as workflow.deletePool.
func (e Entry) Name() string { return string(e.Interface) + "." + e.ID }

// Catalogue lists the operations of the platform, in the order of its documentation. It is written anew from the
// documents by a test, which puts operations that it lacks behind those that it has.
func Catalogue() []Entry {
	var entries []Entry
	for line := range strings.Lines(understudy.Operations) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		iface, id, _ := strings.Cut(fields[0], ".")
		entries = append(entries, Entry{Interface: Interface(iface), ID: id, Method: fields[1], Path: fields[2]})
	}
	return entries
}

// Source returns the YAML text of an interface's document, with the brand in place of the neutral word.
func Source(name Interface, brand Brand) ([]byte, error) {
	source, err := understudy.Documents.ReadFile("specs/" + string(name) + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown interface %q; want one of %s", name,
			strings.Join(append(InterfaceNames(), Control), ", "))
	}
	if name == Control {
		return source, nil
	}
	return brand.Apply(source), nil
}

// Set is a set of documents: those of the platform, and a user's own in their places or beside them. The zero value
// has all of the platform's.
type Set struct {
	Files    map[Interface]string // of the user's own
	Overlays Overlays             // which are settled
	Only     []Interface          // nil: all
	Brand    Brand
}

// SetOf returns the set with the documents and the overlays that flags give: pairs of a name and a file.
func SetOf(own, overlays [][2]string, only []string, brand Brand) (*Set, error) {
	s := &Set{Files: map[Interface]string{}, Overlays: Overlays{}, Brand: brand}
	for _, pair := range own {
		s.Files[Interface(pair[0])] = pair[1]
	}
	for _, pair := range overlays {
		s.Overlays[Interface(pair[0])] = append(s.Overlays[Interface(pair[0])], pair[1])
	}
	if len(only) > 0 {
		s.Only = InterfacesOf(only)
	}
	return s, s.Overlays.Settle(s.Files)
}

// Near returns which interface of the platform an own one is called almost like, if there is one: its name may be
// misspelled. It is one letter away, or two in a name of six letters or more.
func (i Interface) Near() (Interface, bool) {
	if !i.IsOwn() {
		return "", false
	}
	for _, name := range Interfaces() {
		if d := source.Distance(string(i), string(name)); d == 1 || d == 2 && len(name) >= 6 {
			return name, true
		}
	}
	return "", false
}

// Names lists the interfaces of the set: the platform's in the order of its documentation, and then those of the
// user's own by their names.
func (s *Set) Names() []Interface {
	names := Interfaces()
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if name.IsOwn() {
			names = append(names, name)
		}
	}
	if s.Only == nil {
		return names
	}
	return slices.DeleteFunc(names, func(name Interface) bool { return !slices.Contains(s.Only, name) })
}

// Load returns the document of an interface. It is parsed once in a process.
func (s *Set) Load(name Interface) (*Document, error) {
	if file, isOwn := s.Files[name]; isOwn {
		return LoadFile(name, file, s.Brand, s.Overlays[name]...)
	}
	if name.IsOwn() {
		return nil, s.Check(name)
	}
	return Load(name, s.Brand)
}

// Readable returns the document of an interface with the texts and examples that people read.
func (s *Set) Readable(name Interface) (*Document, error) {
	file, isOwn := s.Files[name]
	if !isOwn {
		return Readable(name, s.Brand)
	}
	text, changes, err := readDocument(name, file, s.Brand, s.Overlays[name])
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", name, err)
	}
	return parseWhole(name, file, text, s.Brand, changes)
}

// Check returns an error if the set lacks an interface.
func (s *Set) Check(name Interface) error {
	names := s.Names()
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(string(name), NamesOf(names)))
}

// Brand is the word that the platform's exact identifiers carry: the scheme `SVC1`, the header `X-SVC-Write-Key`,
// the field `svc_record_time`, the attribute `svcDatabaseName`. Its zero value is the neutral word, SVC.
type Brand string

// Neutral is the brand of the documents as they are written.
const Neutral Brand = "SVC"

var (
	brandWord  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)
	lowerBrand = regexp.MustCompile(`\bsvc(_|[A-Z]|\b)`)
	identifier = regexp.MustCompile(`\bsvc[_A-Z]\w*`)
)

// ParseBrand accepts a word of letters and digits that starts with a letter.
func ParseBrand(word string) (Brand, error) {
	if !brandWord.MatchString(word) {
		return "", fmt.Errorf("brand %q: want one word of at most 32 letters and digits, starting with a letter", word)
	}
	return Brand(word), nil
}

func (b Brand) word() string {
	if b == "" {
		return string(Neutral)
	}
	return string(b)
}

// Lower returns the word in lower case: svc.
func (b Brand) Lower() string { return strings.ToLower(b.word()) }

// Scheme returns the word before the key in an Authorization header: SVC1.
func (b Brand) Scheme() string { return strings.ToUpper(b.word()) + "1" }

// WriteKeyHeader returns the header that carries a write key: X-SVC-Write-Key.
func (b Brand) WriteKeyHeader() string { return "X-" + strings.ToUpper(b.word()) + "-Write-Key" }

// RecordTime returns the field of an event that says when it happened: svc_record_time.
func (b Brand) RecordTime() string { return b.Lower() + "_record_time" }

// Apply returns text with the brand in place of the neutral word, in all its spellings: in capitals anywhere, and in
// lower case as a word by itself, as in host names, or at the beginning of an identifier. Other words that only begin
// with the same letters stay as they are.
func (b Brand) Apply(text []byte) []byte {
	if strings.EqualFold(b.word(), string(Neutral)) {
		return text
	}
	text = lowerBrand.ReplaceAll(text, []byte(b.Lower()+"$1"))
	return []byte(strings.ReplaceAll(string(text), string(Neutral), strings.ToUpper(b.word())))
}

// Text applies the brand to a text.
func (b Brand) Text(text string) string { return string(b.Apply([]byte(text))) }

// FS returns files whose texts carry the brand.
func (b Brand) FS(files fs.FS) fs.FS { return brandedFiles{files, b} }

type brandedFiles struct {
	fs.FS
	brand Brand
}

func (f brandedFiles) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(f.FS, name)
	return f.brand.Apply(text), err
}

// Identifiers returns the exact identifiers in the document of an interface that begin with the word in lower case,
// such as svcDatabaseName, by their neutral spelling. The neutral brand has none.
func (b Brand) Identifiers(name Interface) (map[string]string, error) {
	if b.Lower() == Neutral.Lower() {
		return nil, nil
	}
	load, _ := identifiers.LoadOrStore(name, sync.OnceValues(func() ([]string, error) { return identifiersOf(name) }))
	words, err := load.(func() ([]string, error))()
	list := map[string]string{}
	for _, word := range words {
		if own := b.Text(word); own != word {
			list[word] = own
		}
	}
	return list, err
}

// identifiers of the embedded documents, which take a while to find: name of the interface → func() ([]string,
// error).
var identifiers sync.Map

func identifiersOf(name Interface) ([]string, error) {
	source, err := Source(name, Neutral)
	if err != nil {
		return nil, err
	}
	words := identifier.FindAllString(string(source), -1)
	slices.Sort(words)
	return slices.Compact(words), nil
}
