package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// draft collects what one document lacks.
type draft struct {
	document   *specs.Document
	operations map[[2]string]*operation // by method and path, in which what looks like an id is starred
	additions  map[string]*addition     // by where they go
	fields     map[string][]string      // the keys of the additions that are fields, by the object that lacks them
	wide       map[string]*node         // the values of objects that lack many fields
	parameters map[string]int           // how many additions are parameters, by operation
	seen       int                      // exchanges that gave something
	nodes      int
	left       map[string]int // what was left out, by what it is
}

func newDraft(d *specs.Document) *draft {
	return &draft{
		document: d, operations: map[[2]string]*operation{}, additions: map[string]*addition{},
		fields: map[string][]string{}, wide: map[string]*node{}, parameters: map[string]int{}, left: map[string]int{},
	}
}

// leave counts something that is left out. It returns false, as what takes nothing does.
func (d *draft) leave(what string) bool {
	d.left[what]++
	return false
}

// hasRoom reports whether there may be one more place of values, and counts it.
func (d *draft) hasRoom() bool {
	if d.nodes >= maxNodes {
		return d.leave("values")
	}
	d.nodes++
	return true
}

// Patches returns what is missing, by document, in their order by name. Documents that lack nothing have none.
func (c *Collector) Patches() ([]*Patch, error) {
	var list []*Patch
	for _, d := range slices.SortedFunc(maps.Keys(c.drafts),
		func(a, b *specs.Document) int { return strings.Compare(string(a.Interface), string(b.Interface)) }) {
		p, err := c.drafts[d].patch()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.File, err)
		}
		if len(p.changes) > 0 || len(p.Left) > 0 {
			list = append(list, p)
		}
	}
	return list, nil
}

func (d *draft) patch() (*Patch, error) {
	p := &Patch{Interface: d.document.Interface, File: d.document.File, Exchanges: d.seen, Left: d.left}
	if len(d.operations)+len(d.additions)+len(d.wide) == 0 {
		return p, nil
	}
	tree, err := d.document.Tree()
	if err != nil {
		return nil, err
	}
	p.before, p.after = plain(tree).(map[string]any), plain(tree).(map[string]any)
	is31 := d.document.T.IsOpenAPI31OrLater()
	for _, key := range slices.Sorted(maps.Keys(d.additions)) {
		d.additions[key].into(p, is31)
	}
	for _, parent := range slices.Sorted(maps.Keys(d.wide)) {
		p.add(parent, []string{"additionalProperties"}, d.wide[parent].schema(is31), false)
	}
	ids := map[string]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(d.operations), byPath) {
		d.operations[key].into(p, d.document, ids)
	}
	p.Additions = len(p.changes)
	return p, nil
}

func byPath(a, b [2]string) int {
	return strings.Compare(a[1]+" "+a[0], b[1]+" "+b[0])
}

func (a *addition) into(p *Patch, is31 bool) {
	switch {
	case a.query != "":
		p.add(a.parent, []string{"parameters"}, queryParameter(a.query, a.value, is31), true)
	case a.value != nil:
		schema := a.value.schema(is31)
		schema["x-seen"] = a.value.seen
		p.add(a.parent, a.rest, schema, false)
	case len(a.rest) > 0 && strings.Contains(a.rest[len(a.rest)-1], "/"):
		p.add(a.parent, a.rest, a.body.content(is31), false)
	default:
		p.add(a.parent, a.rest, answer(map[string]*payload{a.body.media: a.body}, is31), false)
	}
}

// content returns a payload as a media type of a document.
func (b *payload) content(is31 bool) map[string]any {
	media := map[string]any{"x-seen": b.seen}
	switch {
	case b.value != nil:
		media["schema"] = b.value.schema(is31)
	case strings.HasPrefix(b.media, "text/"):
		media["schema"] = map[string]any{"type": "string"}
	default:
		media["schema"] = map[string]any{"type": "string", "format": "binary"}
	}
	return media
}

// answer returns a response of a document.
func answer(payloads map[string]*payload, is31 bool) map[string]any {
	response, content, seen := map[string]any{"description": "Seen in recordings"}, map[string]any{}, 0
	for media, payload := range payloads {
		if seen += payload.seen; media != "" {
			content[media] = payload.content(is31)
		}
	}
	if response["x-seen"] = seen; len(content) > 0 {
		response["content"] = content
	}
	return response
}

func queryParameter(name string, value *node, is31 bool) map[string]any {
	return map[string]any{"name": name, "in": "query", "schema": value.schema(is31), "x-seen": value.seen}
}
