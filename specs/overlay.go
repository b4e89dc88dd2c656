package specs

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pb33f/jsonpath/pkg/jsonpath"
	"github.com/pb33f/jsonpath/pkg/jsonpath/config"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs/source"
)

// Embedded stands for the file of an interface's embedded document, where only overlays change that.
const Embedded = "(embedded)"

// Overlays are files of OpenAPI Overlay 1.0 by the interface whose document they change, in the order in which they do.
// Those of no interface change the only document that there is.
type Overlays map[Interface][]string

// Add adds a file for an interface, or without one for the only document that there is.
func (o Overlays) Add(iface Interface, file string) error {
	if iface != "" {
		if err := CheckName(iface); err != nil {
			return err
		}
	}
	o[iface] = append(o[iface], file)
	return nil
}

// Settle finds the documents that overlays change among those of users. Those of the platform's interfaces that have no
// document of a user's are Embedded from then on.
func (o Overlays) Settle(documents map[Interface]string) error {
	if nameless := o[""]; len(nameless) > 0 {
		if len(documents) != 1 {
			return fmt.Errorf("overlay %s: which document does it change? there are %d of your own: want NAME=%s",
				nameless[0], len(documents), nameless[0])
		}
		for name := range documents {
			o[name] = append(o[name], nameless...)
		}
		delete(o, "")
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch _, isGiven := documents[name]; {
		case isGiven:
		case name.IsOwn():
			errs = append(errs, fmt.Errorf("overlay %s: a document of the interface %s is missing: want --spec %s=FILE, too",
				o[name][0], name, name))
		default:
			documents[name] = Embedded
		}
	}
	return errors.Join(errs...)
}

// The bounds of an overlay. A target is a JSONPath of RFC 9535, of which some would take for ever.
const (
	maxActions     = 100_000
	maxTarget      = 4096
	maxTargetLists = 16 // names and numbers in unions, and wildcards
)

// overlayText is a file of an overlay as it was read.
type overlayText struct {
	file string
	text []byte
}

func readOverlays(files []string) (list []overlayText, err error) {
	for _, file := range files {
		text, err := source.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("overlay: %w", err)
		}
		list = append(list, overlayText{file, text})
	}
	return list, nil
}

// overlaying applies the actions of one overlay to a document.
type overlaying struct {
	file  string
	index *index
	size  int // of what was added
	errs  []error
}

// overlay changes the document as an overlay says. It returns the actions that change nothing, since their targets
// match nothing.
func (x *index) overlay(o overlayText) (ignored []Ignored, err error) {
	root, err := nodesOf(o.text)
	if err != nil {
		return nil, fmt.Errorf("overlay %s: %w", o.file, err)
	}
	if x.files == nil {
		x.files = map[*yaml.Node]string{}
	}
	a := overlaying{file: o.file, index: x}
	for _, action := range a.actions(root) {
		if nodes := a.nodes(action); len(nodes) > 0 {
			a.apply(action, nodes)
		} else if target := scalar(action, "target"); len(a.errs) == 0 {
			key, _ := lookUp(action, "target")
			ignored = append(ignored,
				Ignored{File: o.file, Pointer: target, Line: key.Line, Reason: "the target matches nothing in the document"})
		}
	}
	return ignored, errors.Join(a.errs...)
}

func (a *overlaying) fail(at *yaml.Node, format string, args ...any) {
	line := 1
	if at != nil {
		line = max(at.Line, 1)
	}
	a.errs = append(a.errs, fmt.Errorf("%s:%d: %s", a.file, line, fmt.Sprintf(format, args...)))
}

// actions returns the actions of an overlay whose form is right.
func (a *overlaying) actions(root *yaml.Node) (list []*yaml.Node) {
	if root.Kind != yaml.MappingNode || !strings.HasPrefix(scalar(root, "overlay"), "1.0") {
		a.fail(root, "want an OpenAPI Overlay of version 1.0, with the key overlay: 1.0.0")
		return nil
	}
	a.keys(root, "overlay", "info", "extends", "actions")
	key, actions := lookUp(root, "actions")
	if actions == nil || actions.Kind != yaml.SequenceNode ||
		len(actions.Content) == 0 || len(actions.Content) > maxActions {
		a.fail(key, "actions: want a list of 1 to %d actions", maxActions)
		return nil
	}
	for _, action := range actions.Content {
		update, _ := lookUp(action, "update")
		switch remove := scalar(action, "remove"); {
		case action.Kind != yaml.MappingNode || scalar(action, "target") == "":
			a.fail(action, "an action without a target: want a JSONPath such as $.paths['/products'].get")
		case remove != "" && remove != "true" && remove != "false":
			a.fail(action, "remove: want true or false, not %q", remove)
		case update == nil && remove != "true":
			a.fail(action, "an action that does nothing: want update, or remove: true")
		case a.keys(action, "target", "description", "update", "remove"):
			list = append(list, action)
		}
	}
	return list
}

// keys refuses keys that an overlay does not have.
func (a *overlaying) keys(node *yaml.Node, known ...string) bool {
	before := len(a.errs)
	for i := 0; i+1 < len(node.Content); i += 2 {
		if name := node.Content[i].Value; !slices.Contains(known, name) && !strings.HasPrefix(name, "x-") {
			a.fail(node.Content[i], "unknown key %q; want %s", name, source.OneOf(name, known))
		}
	}
	return len(a.errs) == before
}

// nodes returns what the target of an action matches.
func (a *overlaying) nodes(action *yaml.Node) []*yaml.Node {
	key, _ := lookUp(action, "target")
	target := scalar(action, "target")
	if err := checkTarget(target); err != nil {
		a.fail(key, "target: %v", err)
		return nil
	}
	path, err := jsonpath.NewPath(target, config.WithStrictRFC9535(), config.WithLazyContextTracking())
	if err != nil {
		a.fail(key, "target: %q is not a JSONPath of RFC 9535: %v", target, firstLine(err.Error()))
		return nil
	}
	return path.Query(a.index.root)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// checkTarget refuses targets that take longer than it takes to look at the whole document a few times.
func checkTarget(target string) error {
	if len(target) > maxTarget {
		return fmt.Errorf("want at most %d bytes", maxTarget)
	}
	plain := withoutQuoted(target)
	if strings.Count(plain, "..") > 1 || strings.Count(plain, ",")+strings.Count(plain, "*") > maxTargetLists {
		return fmt.Errorf("it has more than one .., or more than %d wildcards and commas: "+
			"want several actions with simpler targets", maxTargetLists)
	}
	return nil
}

// withoutQuoted returns a JSONPath without the names within quotes.
func withoutQuoted(path string) string {
	var plain strings.Builder
	var quote rune
	isEscaped := false
	for _, c := range path {
		switch {
		case isEscaped:
			isEscaped = false
		case quote != 0 && c == '\\':
			isEscaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0:
			plain.WriteRune(c)
		}
	}
	return plain.String()
}

// apply updates or removes nodes of the document.
func (a *overlaying) apply(action *yaml.Node, nodes []*yaml.Node) {
	if scalar(action, "remove") == "true" {
		gone := map[*yaml.Node]bool{}
		for _, node := range nodes {
			gone[node] = true
		}
		if gone[a.index.root] {
			a.fail(action, "it would remove the whole document")
			return
		}
		removeNodes(a.index.root, gone, map[*yaml.Node]bool{})
		return
	}
	key, update := lookUp(action, "update")
	for _, node := range nodes {
		switch {
		case node.Kind == yaml.SequenceNode && update.Kind == yaml.SequenceNode:
			a.merge(node, update)
		case node.Kind == yaml.SequenceNode:
			node.Content = append(node.Content, a.copy(update))
		case node.Kind != yaml.MappingNode:
			a.fail(action, "the target matches a value at line %d: want objects or arrays", node.Line)
			return
		case update.Kind != yaml.MappingNode:
			a.fail(key, "the target matches an object at line %d: want an object as update", node.Line)
			return
		default:
			a.merge(node, update)
		}
	}
	if a.size > maxTree {
		a.fail(action, "the overlay adds more than %d values to the document", maxTree)
	}
}

// merge puts the members of an object into another one, and the items of a list behind those of another one.
func (a *overlaying) merge(into, from *yaml.Node) {
	if into.Kind == yaml.SequenceNode {
		for _, item := range from.Content {
			into.Content = append(into.Content, a.copy(item))
		}
		return
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		at := slices.IndexFunc(into.Content, func(n *yaml.Node) bool { return n.Value == key.Value })
		for at%2 == 1 { // a value that reads like the key
			next := slices.IndexFunc(into.Content[at+1:], func(n *yaml.Node) bool { return n.Value == key.Value })
			if at += 1 + next; next < 0 {
				at = -1
			}
		}
		isCompound := value.Kind == yaml.MappingNode || value.Kind == yaml.SequenceNode
		switch {
		case at < 0:
			into.Content = append(into.Content, a.copy(key), a.copy(value))
		case isCompound && into.Content[at+1].Kind == value.Kind:
			a.merge(into.Content[at+1], value)
		default:
			into.Content[at], into.Content[at+1] = a.copy(key), a.copy(value)
		}
	}
}

// copy returns a node of the overlay as one of the document, which remembers its file.
func (a *overlaying) copy(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return a.copy(node.Alias)
	}
	if a.size++; a.size > maxTree {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: node.Line}
	}
	own := *node
	own.Anchor, own.Content = "", make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		own.Content[i] = a.copy(child)
	}
	a.index.files[&own] = a.file
	return &own
}

// removeNodes takes nodes out of the objects and lists that have them.
func removeNodes(node *yaml.Node, gone, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	step := 1
	if node.Kind == yaml.MappingNode {
		step = 2
	}
	kept := make([]*yaml.Node, 0, len(node.Content))
	for i := 0; i+step <= len(node.Content); i += step {
		if value := node.Content[i+step-1]; !gone[value] {
			kept = append(kept, node.Content[i:i+step]...)
			removeNodes(value, gone, seen)
		}
	}
	node.Content = kept
	if node.Alias != nil {
		removeNodes(node.Alias, gone, seen)
	}
}

type overlay struct {
	Overlay string          `yaml:"overlay"`
	Info    overlayInfo     `yaml:"info"`
	Actions []overlayAction `yaml:"actions"`
}

type overlayInfo struct {
	Title   string `yaml:"title"`
	Version string `yaml:"version"`
}

type overlayAction struct {
	Target string         `yaml:"target"`
	Update map[string]any `yaml:"update"`
}

// ResourcesOverlay returns what is known of the document's resources as an OpenAPI Overlay 1.0, in YAML: the extensions
// that it has itself, or those that say what was inferred of it. It returns nil if there are none.
func (d *Document) ResourcesOverlay() ([]byte, error) {
	title := "The resources of " + filepath.Base(d.File)
	if d.Inferred {
		title = "The resources that were inferred of " + filepath.Base(d.File)
	}
	o := overlay{Overlay: "1.0.0", Info: overlayInfo{title, "1.0.0"}}
	o.add("$", d.T.Extensions, defaultsExtension, resourcesExtension)
	for _, op := range d.Operations {
		path, method, _ := strings.Cut(strings.TrimPrefix(op.Pointer, "/paths/"), "/")
		o.add("$.paths['"+inQuotes.Replace(path)+"']."+method, op.Spec.Extensions, resourceExtension)
	}
	if len(o.Actions) == 0 {
		return nil, nil
	}
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(o); err != nil {
		return nil, err
	}
	return text.Bytes(), e.Close()
}

// inQuotes writes a token of a JSON pointer as a name within quotes in a JSONPath.
var inQuotes = strings.NewReplacer("~1", "/", "~0", "~", `\`, `\\`, "'", `\'`)

// add adds an action for those of the extensions that are there.
func (o *overlay) add(target string, extensions map[string]any, names ...string) {
	update := map[string]any{}
	for _, name := range names {
		if value, found := extensions[name]; found {
			update[name] = value
		}
	}
	if len(update) > 0 {
		o.Actions = append(o.Actions, overlayAction{target, update})
	}
}
