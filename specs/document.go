package specs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// Document is one interface's OpenAPI document, loaded, checked, and indexed by operation. It is immutable and safe
// for concurrent use.
type Document struct {
	Interface  Interface
	Brand      Brand
	File       string // name for reports: workflow.yaml, or the path of a user's own document
	BasePath   string // what stands before all paths, without a trailing slash: /v3 for core, else empty
	Lenient    Lenient
	T          *openapi3.T
	Operations []*Operation // in the order of the document
	Ignored    []Ignored    // parts of a user's own document that are not understood, and so are not there
	Inferred   bool         // what it says of resources was inferred
	Extras     *Document    // what clients call beside these; nil if there is none, or it is not wanted

	source   []byte
	overlays []overlayText // that changed it
	byID     map[string]*Operation
	router   router
	unread   func() router
	written  *router // for paths as the document writes them, if they begin elsewhere than ours
	index    func() (*index, error)
	others   *sync.Map // name → otherFile
	isOwn    bool      // a user's own

	recordTime string // see RecordTime

	isForeign, hasServersBelow bool

	resources func() (*resourceSet, error)   // what the document says of them
	tree      func() (map[string]any, error) // of the document without what only people read; not to be changed
	keys      []*openapi3.SecurityScheme     // of keys by themselves
}

// RecordTime returns the field of an event that says when it happened, in the brand of the document.
func (d *Document) RecordTime() string { return d.recordTime }

func (d *Document) setSource(source []byte) {
	d.source = source
	d.index = sync.OnceValues(func() (*index, error) { return newIndex(source) })
}

// IsUsers reports whether the document is a user's own, be it of an interface of the platform or not.
func (d *Document) IsUsers() bool {
	return len(d.Operations) > 0 && d.Operations[0].Embedded != d.Operations[0]
}

// IsForeign reports whether the document is a user's own, and has no operation of the platform.
func (d *Document) IsForeign() bool { return d.isForeign && d.IsUsers() }

// HasServersBelow reports whether operations or paths of a foreign document have servers of their own.
func (d *Document) HasServersBelow() bool { return d.hasServersBelow }

// Validate checks the document against the OpenAPI specification, with its examples unless an option says otherwise. It
// is what a test asks for, or a user with a document of their own; serving does not need it.
func (d *Document) Validate(ctx context.Context, opts ...openapi3.ValidationOption) error {
	if err := d.T.Validate(ctx, opts...); err != nil {
		return fmt.Errorf("validate %s: %w", d.File, err)
	}
	return nil
}

// KeyHeader returns the header beside Authorization that may carry an API key, by the document's security schemes, or
// the empty string.
func (d *Document) KeyHeader() string {
	if d.T.Components == nil {
		return ""
	}
	for _, scheme := range d.T.Components.SecuritySchemes {
		if s := scheme.Value; s != nil && s.Type == "apiKey" && s.In == "header" && s.Name != "Authorization" {
			return s.Name
		}
	}
	return ""
}

// BareKey reports whether the API key may stand in Authorization without the scheme's word before it: the document's
// security scheme then has x-bare-key.
func (d *Document) BareKey() bool {
	if d.T.Components == nil {
		return false
	}
	for _, scheme := range d.T.Components.SecuritySchemes {
		if s := scheme.Value; s != nil && s.Extensions["x-bare-key"] == true {
			return true
		}
	}
	return false
}

// Source is the document's YAML text, branded, as it is without overlays.
func (d *Document) Source() []byte { return d.source }

// otherFile is a file beside a document, which refers to it.
type otherFile struct {
	root *yaml.Node // nil if it cannot be read
	text []byte
}

// beside reads a file beside the document again, to find places in it.
func (d *Document) beside(name string) (other otherFile) {
	if known, ok := d.others.Load(name); ok {
		return known.(otherFile)
	}
	if root, err := os.OpenRoot(filepath.Dir(d.File)); err == nil {
		other.text, err = root.ReadFile(name)
		if err = errors.Join(err, root.Close()); err == nil {
			other.root, _ = nodesOf(other.text) // nil if it has changed
		}
	}
	d.others.Store(name, other)
	return other
}

func (d *Document) pathOf(name string) string { return filepath.Join(filepath.Dir(d.File), name) }

// SourceOf returns the text of a file that the document was made of: its own, that of an overlay, or one that it refers
// to, once Place has led there; nil for others.
func (d *Document) SourceOf(file string) []byte {
	for _, o := range d.overlays {
		if o.file == file {
			return o.text
		}
	}
	if file == d.File {
		return d.source
	}
	var text []byte
	d.others.Range(func(name, other any) bool {
		if d.pathOf(name.(string)) == file {
			text = other.(otherFile).text
		}
		return text == nil
	})
	return text
}

// Text returns the document as it is with its overlays, in YAML.
func (d *Document) Text() ([]byte, error) {
	if len(d.overlays) == 0 {
		return d.source, nil
	}
	x, err := d.index()
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(x.root)
}

// Compare reports how a user's own document differs from ours: the operations that it lacks and those that it adds,
// each as "METHOD path".
func (d *Document) Compare(own *Document) (missing, extra []string) {
	for _, op := range d.Operations {
		if found := own.byID[op.ID]; found == nil || found.Embedded == nil {
			missing = append(missing, op.Method+" "+op.Path)
		}
	}
	for _, op := range own.Operations {
		if op.Embedded == nil {
			extra = append(extra, op.Method+" "+op.Path)
		}
	}
	return missing, extra
}
