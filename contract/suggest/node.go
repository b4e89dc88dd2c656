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

const (
	maxNames = 50 // an object with more names than these is a map, whose names are ids
	maxDepth = 16
)

// node is what the values at one place have in common.
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

// of is a node, made if there is none.
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
		n.items = n.items.of(n.name)
		for _, item := range v {
			if depth < maxDepth {
				n.items.add(e, item, depth+1)
			}
		}
	case map[string]any:
		n.kinds["object"]++
		n.objects++
		if depth < maxDepth {
			n.object(e, v, depth)
		}
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
	if n.values == nil && n.fields == nil {
		n.fields = map[string]*node{}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if n.values == nil && n.fields[name] == nil && len(n.fields) >= maxNames {
			n.toMap()
		}
		if n.values != nil {
			n.values.add(e, object[name], depth+1)
			continue
		}
		n.fields[name] = n.fields[name].of(name)
		n.fields[name].add(e, object[name], depth+1)
	}
}

// toMap makes an object a map: its names are ids, and its values alike.
func (n *node) toMap() {
	n.values = (*node)(nil).of("")
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
