package specs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy"
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

// Reading a document costs tens of milliseconds, most of them for YAML and for texts that only people read. So each
// document stands here once more as JSON, without them, for a start in less than half the time. It carries the sum of
// the YAML that it was made of: one that is out of date is passed over, and a test wants it made anew.

// shortMark is the beginning of every short form. The sum of the YAML follows it.
const shortMark = `{"x-source":"`

// compiled returns the short form of a document, with the brand, or the document itself if it has no short form.
func compiled(name Interface, source []byte, brand Brand) []byte {
	neutral, err := understudy.Documents.ReadFile("specs/" + string(name) + ".yaml")
	if err != nil {
		return source
	}
	short, err := understudy.Compiled.ReadFile("specs/compiled/" + string(name) + ".json")
	sum := sha256.Sum256(neutral)
	if err != nil || !bytes.HasPrefix(short, []byte(shortMark+hex.EncodeToString(sum[:])+`"`)) {
		return source
	}
	if name == Control {
		return short
	}
	return brand.Apply(short)
}

// Digest returns the SHA-256 of the OpenAPI documents that the program carries, as "sha256:" and hexadecimal digits. It
// is the sum of what sha256sum prints for specs/*.yaml and specs/extras/*.yaml, in this order, at the root of the
// repository. Brands, and documents of a user's own, do not change it.
func Digest() string {
	all := sha256.New()
	for _, folder := range []string{"specs", "specs/extras"} {
		entries, err := understudy.Documents.ReadDir(folder)
		if err != nil {
			panic(err) // the folders are part of the program
		}
		names := make([]string, 0, len(entries))
		for _, entry := range entries {
			if !entry.IsDir() {
				names = append(names, folder+"/"+entry.Name())
			}
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := understudy.Documents.ReadFile(name)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(all, "%x  %s\n", sha256.Sum256(text), name)
		}
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil))
}

// kin-openapi decodes each object of a document twice, and once more for every object around it, which took most of the
// time of a start. The decoders below fill the same types in one pass, and leave rare forms to kin.

// load reads a document: JSON in one pass, unless it is wrong, which kin says best.
func load(source []byte) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc := &openapi3.T{}
	if !bytes.HasPrefix(source, []byte("{")) || jsonv2.Unmarshal(source, doc, decoders) != nil {
		return loader.LoadFromData(source)
	}
	return doc, loader.ResolveRefsIn(doc, nil)
}

// The types of kin without their UnmarshalJSON.
type (
	document     openapi3.T
	components   openapi3.Components
	pathItem     openapi3.PathItem
	operation    openapi3.Operation
	parameter    openapi3.Parameter
	requestBody  openapi3.RequestBody
	responseBody openapi3.Response
	mediaType    openapi3.MediaType
	schema       openapi3.Schema
)

var decoders = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	object(func(v *openapi3.T) (*document, *map[string]any) { return (*document)(v), &v.Extensions }),
	object(func(v *openapi3.Components) (*components, *map[string]any) { return (*components)(v), &v.Extensions }),
	object(func(v *openapi3.PathItem) (*pathItem, *map[string]any) { return (*pathItem)(v), &v.Extensions }),
	object(func(v *openapi3.Operation) (*operation, *map[string]any) { return (*operation)(v), &v.Extensions }),
	object(func(v *openapi3.Parameter) (*parameter, *map[string]any) { return (*parameter)(v), &v.Extensions }),
	object(func(v *openapi3.Header) (*parameter, *map[string]any) {
		return (*parameter)(&v.Parameter), &v.Extensions
	}),
	object(func(v *openapi3.RequestBody) (*requestBody, *map[string]any) { return (*requestBody)(v), &v.Extensions }),
	object(func(v *openapi3.Response) (*responseBody, *map[string]any) { return (*responseBody)(v), &v.Extensions }),
	object(func(v *openapi3.MediaType) (*mediaType, *map[string]any) { return (*mediaType)(v), &v.Extensions }),
	object(func(v *openapi3.Schema) (*schema, *map[string]any) { return (*schema)(v), &v.Extensions }),
	reference(func(v *openapi3.SchemaRef) (*string, **openapi3.Schema) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.ParameterRef) (*string, **openapi3.Parameter) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.HeaderRef) (*string, **openapi3.Header) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.RequestBodyRef) (*string, **openapi3.RequestBody) { return &v.Ref, &v.Value }),
	reference(func(v *openapi3.ResponseRef) (*string, **openapi3.Response) { return &v.Ref, &v.Value }),
	named(func(v *openapi3.Paths) map[string]any {
		*v = *openapi3.NewPathsWithCapacity(0)
		v.Extensions = map[string]any{}
		return v.Extensions
	}, (*openapi3.Paths).Set),
	named(func(v *openapi3.Responses) map[string]any {
		*v = *openapi3.NewResponsesWithCapacity(0)
		v.Extensions = map[string]any{}
		return v.Extensions
	}, (*openapi3.Responses).Set),
	jsonv2.UnmarshalFromFunc(boolSchema),
))

// object decodes an object. Members without a field in the type become extensions.
func object[T, Fields any](parts func(*T) (*Fields, *map[string]any)) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, value *T) error {
		if kind := d.PeekKind(); kind == 't' || kind == 'f' { // a schema may be a boolean
			text, err := d.ReadValue()
			if err != nil {
				return err
			}
			return json.Unmarshal(text, value)
		}
		var all struct {
			Fields *Fields        `json:",embed"`
			Others map[string]any `json:",embed"`
		}
		var extensions *map[string]any
		all.Fields, extensions = parts(value)
		err := jsonv2.UnmarshalDecode(d, &all)
		*extensions = all.Others
		return err
	})
}

// reference decodes a $ref, or the object itself.
func reference[T, Value any](parts func(*T) (ref *string, value **Value)) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, whole *T) error {
		ref, value := parts(whole)
		if !bytes.HasPrefix(bytes.TrimLeft(d.UnreadBuffer(), ":,"), []byte(`{"$`)) {
			return jsonv2.UnmarshalDecode(d, value)
		}
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		var only struct {
			Ref string `json:"$ref"`
		}
		if err := jsonv2.Unmarshal(text, &only, jsonv2.RejectUnknownMembers(true)); err != nil {
			return json.Unmarshal(text, whole) // the $ref has siblings, or it is another word
		}
		*ref = only.Ref
		return nil
	})
}

// named decodes a map of objects, such as paths, which may have extensions, too.
func named[T, Value any](begin func(*T) (extensions map[string]any),
	set func(*T, string, *Value),
) *jsonv2.Unmarshalers {
	return jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, whole *T) error {
		extensions := begin(whole)
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			if key := name.String(); strings.HasPrefix(key, "x-") {
				var value any
				err = jsonv2.UnmarshalDecode(d, &value)
				extensions[key] = value
			} else {
				value := new(Value)
				err = jsonv2.UnmarshalDecode(d, value)
				set(whole, key, value)
			}
			if err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	})
}

// boolSchema decodes additionalProperties: true, false or a schema.
func boolSchema(d *jsontext.Decoder, value *openapi3.BoolSchema) error {
	if d.PeekKind() == '{' {
		return jsonv2.UnmarshalDecode(d, &value.Schema)
	}
	return jsonv2.UnmarshalDecode(d, &value.Has)
}
