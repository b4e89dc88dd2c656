package suggest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/specs/recording"
)

// How much of a patch there is at most. What is beyond is counted.
const (
	maxOperations = 500
	maxAdditions  = 10_000 // statuses, media types, parameters and fields of operations that are documented
	maxNodes      = 20_000 // places of values, of all bodies and parameters
	maxNames      = 50     // an object with more names than these is a map, whose names are ids
	maxMedia      = 20     // of one body
	maxDepth      = 16
	maxName       = 200 // bytes
)

// node holds what the values at one place have in common.
type node struct {
	name     string
	seen     int
	kinds    map[string]int // by the types of JSON Schema
	formats  map[string]int // of texts
	objects  int
	fields   map[string]*node
	values   *node // of an object that is a map
	items    *node
	example  any
	isSecret bool
}

// of returns a node, made if there is none.
func (n *node) of(name string) *node {
	if n == nil {
		return &node{name: name, kinds: map[string]int{}, formats: map[string]int{}, isSecret: recording.IsSecret(name)}
	}
	return n
}

// add adds a value, which counts once.
func (n *node) add(e *evidence, value any, depth int) {
	n.seen++
	switch v := value.(type) {
	case nil:
		n.kinds["null"]++
	case bool:
		n.kinds["boolean"]++
		n.show(v)
	case json.Number:
		n.kinds[kindOf(v)]++
		n.show(v)
	case string:
		n.text(e, v)
	case []any:
		n.kinds["array"]++
		n.list(e, v, depth)
	case map[string]any:
		n.kinds["object"]++
		n.objects++
		n.object(e, v, depth)
	}
}

func (n *node) list(e *evidence, list []any, depth int) {
	if n.items == nil {
		n.items = n.items.of(n.name)
		n.items.isSecret = n.isSecret
	}
	if depth >= maxDepth && len(list) > 0 {
		e.draft.leave("deeper values")
		return
	}
	for _, item := range list {
		n.items.add(e, item, depth+1)
	}
}

func kindOf(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "number"
	}
	return "integer"
}

// show keeps the first value for an example.
func (n *node) show(value any) {
	if n.example == nil && !n.isSecret {
		n.example = value
	}
}

// text adds a text. Of one that a recorder took out even the type is not known.
func (n *node) text(e *evidence, text string) {
	if strings.Contains(text, recording.Mark) {
		n.isSecret, n.example = true, nil
		return
	}
	n.kinds["string"]++
	n.formats[formatOf(text)]++
	if e.isShown(n.name, text) {
		n.show(text)
	}
}

var (
	uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	date = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

func formatOf(text string) string {
	_, err := time.Parse(time.RFC3339, text)
	switch {
	case err == nil:
		return "date-time"
	case uuid.MatchString(text):
		return "uuid"
	case date.MatchString(text):
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return "date"
		}
	}
	return ""
}

func (n *node) object(e *evidence, object map[string]any, depth int) {
	if depth >= maxDepth && len(object) > 0 {
		e.draft.leave("deeper values")
		return
	}
	if n.values == nil && n.fields == nil {
		n.fields = map[string]*node{}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if n.values == nil && n.fields[name] == nil && len(n.fields) >= maxNames {
			n.toMap()
		}
		if n.values != nil {
			n.values.isSecret = n.values.isSecret || recording.IsSecret(name)
			n.values.add(e, object[name], depth+1)
			continue
		}
		n.field(e, name, object[name], depth)
	}
}

func (n *node) field(e *evidence, name string, value any, depth int) {
	field := n.fields[name]
	if field == nil {
		if !e.isNameShown(name) {
			e.draft.leave("names")
			return
		}
		if !e.draft.hasRoom() {
			return
		}
		field = field.of(name)
		field.isSecret = field.isSecret || n.isSecret // what is in a secret is one
		n.fields[name] = field
	}
	field.add(e, value, depth+1)
}

// toMap makes an object a map: its names are ids, and its values alike.
func (n *node) toMap() {
	n.values = (*node)(nil).of("")
	n.values.isSecret = n.isSecret
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		n.values.merge(n.fields[name])
	}
	n.fields = nil
}

// merge takes over what another node has.
func (n *node) merge(other *node) {
	if other == nil {
		return
	}
	n.seen += other.seen
	n.objects += other.objects
	n.isSecret = n.isSecret || other.isSecret
	for kind, count := range other.kinds {
		n.kinds[kind] += count
	}
	for format, count := range other.formats {
		n.formats[format] += count
	}
	if n.example == nil {
		n.example = other.example
	}
	if other.items != nil {
		n.items = n.items.of(n.name)
		n.items.merge(other.items)
	}
	if n.values == nil && other.values != nil {
		n.toMap()
	}
	if n.values != nil {
		n.values.merge(other.values)
	} else if n.fields == nil && other.fields != nil {
		n.fields = map[string]*node{}
	}
	for _, name := range slices.Sorted(maps.Keys(other.fields)) {
		if n.values != nil {
			n.values.merge(other.fields[name])
			continue
		}
		n.fields[name] = n.fields[name].of(name)
		n.fields[name].merge(other.fields[name])
		if len(n.fields) > maxNames {
			n.toMap()
		}
	}
}
