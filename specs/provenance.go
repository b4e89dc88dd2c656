package specs

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Provenance describes where a fact of a document comes from, and so how loud a deviation from it is.
type Provenance string

// From the surest to the least sure.
const (
	Documented Provenance = "documented" // stated by the platform's documentation
	Public     Provenance = "public"     // from public interface documents
	Client     Provenance = "client"     // from the code of public clients
	Assumed    Provenance = "assumed"    // stated nowhere: a guess along the conventions of the interface
)

// Place is the place of a fact: its canonical pointer (references followed), its line, and its provenance.
type Place struct {
	Pointer    string
	Line       int
	Provenance Provenance
	File       string // of the document, or of the overlay that it comes from
}

// Place finds the fact at a JSON pointer such as /paths/~1api~1pools/get/responses/200. The pointer may lead through
// references, as a validator's does. A fact has the provenance that the object around it states for it, such as
// `x-provenance-enum: client` beside an enum and `x-provenance-responses: {'403': assumed}` beside responses, else its
// own x-provenance, else that of what it is part of. The place of a pointer that leads nowhere is that of its longest
// part that exists.
func (d *Document) Place(pointer string) (Place, error) {
	index, err := d.index()
	if err != nil {
		return Place{}, fmt.Errorf("index %s: %w", d.File, err)
	}
	w := index.walk()
	w.beside = func(file string) *yaml.Node { return d.beside(file).root }
	w.main = filepath.Base(d.File)
	place := w.to(pointer)
	if place.File = cmp.Or(place.File, d.File); w.file != "" && place.File == w.file {
		place.File = d.pathOf(w.file)
	}
	return place, nil
}

// index answers where things stand in a document's YAML. Only reports need it, so it is made on first use.
type index struct {
	root  *yaml.Node
	files map[*yaml.Node]string // of nodes that come from overlays
}

func newIndex(source []byte) (*index, error) {
	root, err := nodesOf(source)
	if err != nil {
		return nil, err
	}
	if root.Kind == yaml.DocumentNode || root.Kind == 0 {
		return nil, fmt.Errorf("the document is empty")
	}
	return &index{root: root}, nil
}

// maxReferences bounds how many references one pointer is followed through.
const maxReferences = 64

// place finds a fact without following references to other files.
func (x *index) place(pointer string) Place { return x.walk().to(pointer) }

func (x *index) walk() *pointerWalk {
	return &pointerWalk{index: x, node: x.root, top: x.root, place: Place{
		Line: x.root.Line, Provenance: Provenance(scalar(x.root, "x-provenance")),
	}}
}

func (w *pointerWalk) to(pointer string) Place {
	for tokens := splitPointer(pointer); len(tokens) > 0; tokens = tokens[1:] {
		if !w.step(tokens[0]) {
			break
		}
	}
	w.place.Pointer = ""
	for _, token := range w.path {
		w.place.Pointer += "/" + EscapePointer(token)
	}
	return w.place
}

// pointerWalk goes down a document, token by token, and jumps where a reference leads.
type pointerWalk struct {
	*index
	main       string                       // the name of the document's file
	beside     func(file string) *yaml.Node // the root of a file beside it; nil if it cannot be read
	node       *yaml.Node
	top        *yaml.Node // of the file that the node is in
	file       string     // that one, as from the folder of the document; empty: the document itself
	members    *yaml.Node // the provenances of the node's members that its parent states
	path       []string
	place      Place
	references int
}

func (w *pointerWalk) step(token string) bool {
	key, child := lookUp(w.node, token)
	if child == nil {
		return false
	}
	name := "x-provenance-" + token
	stated := cmp.Or(scalar(w.members, token), scalar(w.node, name), scalar(child, "x-provenance"))
	if stated != "" {
		w.place.Provenance = Provenance(stated)
	}
	_, w.members = lookUp(w.node, name)
	w.node, w.path, w.place.Line = child, append(w.path, token), key.Line
	if file := cmp.Or(w.files[key], w.files[child]); file != "" {
		w.place.File = file
	}
	w.follow(stated != "")
	return true
}

// follow jumps to where a reference leads. Statements at the place that refers to it take precedence.
func (w *pointerWalk) follow(stated bool) {
	ref := scalar(w.node, "$ref")
	file, pointer, _ := strings.Cut(ref, "#")
	isPointer := pointer == "" && file != "" || strings.HasPrefix(pointer, "/")
	if !isPointer || w.references == maxReferences || file != "" && !w.enter(file) {
		return
	}
	w.references++
	before := w.place.Provenance
	w.node, w.path, w.place.File = w.top, nil, w.file
	for _, token := range splitPointer(pointer) {
		if !w.step(token) {
			return
		}
	}
	if stated {
		w.place.Provenance = before
	}
}

// enter goes to the root of another file, and reports whether there is one.
func (w *pointerWalk) enter(file string) bool {
	if w.beside == nil {
		return false
	}
	name, top := path.Join(path.Dir(w.file), file), w.root
	if name == w.main {
		name = ""
	} else if top = w.beside(name); top == nil {
		return false
	}
	w.top, w.file, w.place.Line = top, name, top.Line
	return true
}

func lookUp(node *yaml.Node, token string) (key, child *yaml.Node) {
	if node == nil {
		return nil, nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == token {
				return node.Content[i], node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], node.Content[i]
		}
	}
	return nil, nil
}

func scalar(node *yaml.Node, key string) string {
	if _, child := lookUp(node, key); child != nil && child.Kind == yaml.ScalarNode {
		return child.Value
	}
	return ""
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer writes one token of a JSON pointer.
func EscapePointer(token string) string { return escape.Replace(token) }

func splitPointer(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		if strings.Contains(token, "~") { // a replacer copies what it leaves as it is
			tokens[i] = unescape.Replace(token)
		}
	}
	return tokens
}
