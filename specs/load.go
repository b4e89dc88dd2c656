package specs

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs/source"
)

type cacheKey struct {
	name  Interface
	brand Brand
	file  string   // of a user's own,
	sum   [32]byte // and what it holds
}

// What is parsed never changes, so each document is parsed once in a process, however many servers and transports
// a test binary makes.
var cache sync.Map // cacheKey → func() (*Document, error)

// Load returns the embedded document of an interface. It is parsed once in a process, and without the texts that only
// people read: T has no descriptions and no examples, Source has.
func Load(name Interface, brand Brand) (*Document, error) {
	key := cacheKey{name: name, brand: brand}
	load, found := cache.Load(key)
	if !found {
		load, _ = cache.LoadOrStore(key, sync.OnceValues(func() (*Document, error) {
			return embedded(name, brand, compiled)
		}))
	}
	return load.(func() (*Document, error))()
}

// Readable returns the embedded document of an interface with the texts and examples that people read.
func Readable(name Interface, brand Brand) (*Document, error) {
	return embedded(name, brand, func(_ Interface, source []byte, _ Brand) []byte { return source })
}

// Readable returns the document with the texts and examples that people read.
func (d *Document) Readable() (*Document, error) {
	if d.IsUsers() {
		return parseWhole(d.Interface, d.File, d.source, d.Brand, d.overlays)
	}
	return Readable(d.Interface, d.Brand)
}

// LoadFile returns a document of the user's own in place of the embedded one, as Parse reads it, but without the texts
// that only people read and without components that no operation needs, which therefore may be wrong. It is parsed once
// in a process for as long as the file, and the files of overlays that change it, hold the same. Errors name the file.
func LoadFile(name Interface, file string, brand Brand, overlays ...string) (*Document, error) {
	text, changes, err := readDocument(name, file, brand, overlays)
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", name, err)
	}
	if file == Embedded {
		file = string(name) + ".yaml"
	}
	if name.IsOwn() {
		brand = Neutral
	}
	key := cacheKey{name, brand, file, digestOf(text, changes)}
	load, _ := cache.LoadOrStore(key,
		sync.OnceValues(func() (*Document, error) { return parseShort(name, file, text, brand, changes) }))
	return load.(func() (*Document, error))()
}

func readDocument(name Interface, file string, brand Brand, overlays []string) (text []byte, changes []overlayText,
	err error,
) {
	if file == Embedded {
		text, err = Source(name, brand)
	} else {
		text, err = source.ReadFile(file)
	}
	if err == nil {
		changes, err = readOverlays(overlays)
	}
	return text, changes, err
}

// digestOf returns a digest of a document and its overlays.
func digestOf(text []byte, overlays []overlayText) [sha256.Size]byte {
	sum := sha256.Sum256(text)
	for _, o := range overlays {
		sum = sha256.Sum256(slices.Concat(sum[:], []byte(o.file+"\x00"), o.text))
	}
	return sum
}

// DigestFile returns a digest of what LoadFile reads, by which a change of it is found.
func DigestFile(name Interface, file string, brand Brand, overlays ...string) ([sha256.Size]byte, error) {
	text, changes, err := readDocument(name, file, brand, overlays)
	return digestOf(text, changes), err
}

func parseShort(name Interface, file string, source []byte, brand Brand, overlays []overlayText) (*Document, error) {
	return parseOwn(name, file, source, brand, overlays, func(tree map[string]any, at lines) ([]byte, []Ignored, error) {
		return short(tree, file, at, name.IsOwn())
	})
}

// Parse reads a user's own document of an interface from its text. Operations that the embedded document has as well,
// by method and path, have our ids, paths and names of path parameters, whatever the document calls them. Errors name
// the file, beside which the files lie that the document refers to.
func Parse(name Interface, file string, source []byte, brand Brand) (*Document, error) {
	return parseWhole(name, file, source, brand, nil)
}

func parseWhole(name Interface, file string, source []byte, brand Brand, overlays []overlayText) (*Document, error) {
	return parseOwn(name, file, source, brand, overlays, func(tree map[string]any, at lines) ([]byte, []Ignored, error) {
		tree, ignored, err := whole(tree, file, at)
		if err != nil {
			return nil, nil, err
		}
		text, err := json.Marshal(tree)
		return text, ignored, err
	})
}

// lines returns the line of what stands at a pointer of a document.
type lines func(pointer string) int

func parseOwn(name Interface, file string, source []byte, brand Brand, overlays []overlayText,
	read func(tree map[string]any, lineOf lines) ([]byte, []Ignored, error),
) (*Document, error) {
	embedded, err := counterpart(name, brand)
	if err != nil {
		return nil, err
	}
	tree, ignored, err := readTree(file, source, overlays)
	if err != nil {
		return nil, err
	}
	index := sync.OnceValues(func() (*index, error) { // made anew, since few ask for it, and it takes much memory
		x, _, err := indexOf(file, source, overlays)
		return x, err
	})
	lineOf := func(pointer string) int {
		if x, err := index(); err == nil {
			return x.place(pointer).Line
		}
		return 0
	}
	text, unread, err := read(tree, lineOf)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	d, err := parse(name, file, text, brand, embedded)
	if err != nil {
		rest, more, failed := loadable(text, lineOf)
		if failed != nil || rest == nil {
			return nil, err
		}
		if d, err = parse(name, file, rest, brand, embedded); err != nil {
			return nil, err
		}
		unread = append(unread, more...)
	}
	d.source, d.overlays, d.index = source, overlays, index
	for i := range d.Ignored {
		d.Ignored[i].Line = lineOf(d.Ignored[i].Pointer)
	}
	d.Ignored = slices.Concat(ignored, unread, d.Ignored)
	d.Extras = embedded.Extras
	return d.checked()
}

// readTree returns the tree of a document that overlays change, with what of them changes nothing.
func readTree(file string, source []byte, overlays []overlayText) (map[string]any, []Ignored, error) {
	if tree := jsonTree(source); tree != nil && len(overlays) == 0 {
		return tree, nil, nil
	}
	x, ignored, err := indexOf(file, source, overlays)
	if err != nil {
		return nil, nil, err
	}
	tree, err := treeOf(x.root)
	if err != nil {
		return nil, nil, fmt.Errorf("load %s: %w", file, err)
	}
	return tree, ignored, nil
}

// indexOf returns the index of a document that overlays change, with what of them changes nothing.
func indexOf(file string, source []byte, overlays []overlayText) (x *index, ignored []Ignored, err error) {
	if x, err = newIndex(source); err != nil {
		return nil, nil, fmt.Errorf("load %s: %w", file, err)
	}
	for _, o := range overlays {
		unmatched, err := x.overlay(o)
		if err != nil {
			return nil, nil, fmt.Errorf("load %s:\n%w", file, err)
		}
		ignored = append(ignored, unmatched...)
	}
	return x, ignored, nil
}

// counterpart returns the embedded document that a user's own one of an interface stands in for. Of an interface that
// is not the platform's it is one without operations.
func counterpart(name Interface, brand Brand) (*Document, error) {
	if !name.IsOwn() {
		return Load(name, brand)
	}
	none := &Document{Interface: name, T: &openapi3.T{}, byID: map[string]*Operation{}}
	none.describeResources()
	return none, nil
}

// readSource returns the text to parse of the source of an embedded document.
type readSource func(name Interface, source []byte, brand Brand) []byte

// embedded parses what read makes of the text of an embedded document, and of its extras.
func embedded(name Interface, brand Brand, read readSource) (*Document, error) {
	source, err := Source(name, brand)
	if err != nil {
		return nil, err
	}
	doc, err := parse(name, string(name)+".yaml", read(name, source, brand), brand, nil)
	if err != nil {
		return nil, err
	}
	doc.setSource(source)
	doc.Extras, err = extrasOf(name, brand, read)
	return doc, err
}

// parse reads a document; an embedded one if embedded is nil.
func parse(name Interface, file string, source []byte, brand Brand, embedded *Document) (*Document, error) {
	doc, err := load(source)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	if doc.Paths == nil || doc.Paths.Len() == 0 {
		return nil, fmt.Errorf("load %s: the document has no paths", file)
	}
	if embedded != nil {
		withoutNulls(doc)
	}
	d := &Document{
		Interface: name, Brand: brand, File: file, T: doc, byID: map[string]*Operation{}, recordTime: brand.RecordTime(),
		others: &sync.Map{},
	}
	d.unread = sync.OnceValue(d.routeUnread)
	d.setSource(source)
	if d.Lenient, err = lenientOf(doc); err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	d.tree = sync.OnceValues(func() (map[string]any, error) { return shortTree(source) })
	d.addOperations()
	d.findKeys()
	if embedded != nil {
		d.boundEmptiness()
	}
	d.isOwn = embedded != nil && !name.IsOwn()
	if name.IsOwn() && !d.describesResources() {
		d.infer()
	}
	d.describeResources()
	if embedded == nil {
		err = d.identify()
	} else {
		err = d.identifyBy(embedded)
	}
	if err == nil {
		d.sort()
		d.route()
		if len(d.Ignored) > 0 && (embedded == nil || len(d.Operations) == 0) {
			err = errors.New(d.Ignored[0].Reason)
		}
	}
	d.isForeign = d.IsUsers() && !slices.ContainsFunc(d.Operations, func(op *Operation) bool { return op.Embedded != nil })
	d.hasServersBelow = d.isForeign && slices.ContainsFunc(d.Operations, func(op *Operation) bool {
		return len(op.ServerURLs()) > 0
	})
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	return d, nil
}

// checked returns the document, unless what it says of resources is wrong.
func (d *Document) checked() (*Document, error) {
	if d.Inferred || !d.describesResources() {
		return d, nil
	}
	if err := d.CheckResources(); err != nil {
		return nil, fmt.Errorf("load %s: invalid x-resources or x-resource:\n%w", d.File, err)
	}
	return d, nil
}
