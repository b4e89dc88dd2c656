package console

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/specs"
)

// kind is a kind of things, with what can be done to them.
type kind struct {
	*specs.Resource
	Interface  specs.Interface
	List, Get  *specs.Operation
	Operations []*specs.Operation // others: they make, change and delete
	Nested     []*kind            // parts of one, which its path leads to
}

// catalog holds the kinds of all interfaces.
type catalog struct {
	kinds  []*kind
	byName map[string]*kind
}

func newCatalog(brand specs.Brand) (*catalog, error) {
	c := &catalog{byName: map[string]*kind{}}
	for _, iface := range specs.Interfaces() {
		doc, err := specs.Load(iface, brand)
		if err != nil {
			return nil, err
		}
		doc = doc.WithoutExtras()
		for _, r := range doc.Resources() {
			if strings.HasPrefix(r.Name, string(iface)+".") {
				k := &kind{Resource: r, Interface: iface}
				c.kinds, c.byName[r.Name] = append(c.kinds, k), k
			}
		}
		for _, o := range doc.Operations {
			c.add(o)
		}
	}
	c.kinds = slices.DeleteFunc(c.kinds, func(k *kind) bool { return k.List == nil && k.Get == nil })
	for _, k := range c.kinds {
		if parent := c.byName[k.Parent()]; parent != nil {
			parent.Nested = append(parent.Nested, k)
		}
	}
	return c, nil
}

// add notes what an operation does to the resource that it is about.
func (c *catalog) add(o *specs.Operation) {
	actions := o.Actions()
	if len(actions) == 0 || c.byName[actions[0].Resource.Name] == nil {
		return
	}
	k := c.byName[actions[0].Resource.Name]
	switch {
	case actions[0].Verb == specs.List && len(actions[0].At) > 0 && (k.List == nil || len(o.Path) < len(k.List.Path)):
		k.List = o
	case actions[0].Verb == specs.Get && k.Get == nil:
		k.Get = o
	case o.Method != "GET":
		k.Operations = append(k.Operations, o)
	}
}

// action returns the action of an operation on the resource that it is about.
func action(o *specs.Operation) *specs.Action { return o.Actions()[0] }

// Noun is the name of the kind for people.
func (k *kind) Noun() string { return k.Title }

// IsTop reports whether one of the kind can be listed without knowing another thing.
func (k *kind) IsTop() bool { return k.List != nil && len(pathParameters(k.List)) == 0 }

// Makes returns the operations that make one, which the path of none leads to.
func (k *kind) Makes() []*specs.Operation {
	return slices.DeleteFunc(slices.Clone(k.Operations), func(o *specs.Operation) bool {
		return len(action(o).Path) > 0
	})
}

// Changes returns the operations that are about one of them.
func (k *kind) Changes() []*specs.Operation {
	return slices.DeleteFunc(slices.Clone(k.Operations), func(o *specs.Operation) bool {
		return len(action(o).Path) == 0
	})
}

// pathParameters names the parameters of an operation's path, in order.
func pathParameters(o *specs.Operation) (names []string) {
	for rest := o.Path; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return names
		}
		name, after, _ := strings.Cut(after, "}")
		names, rest = append(names, name), after
	}
}

// addressOf returns the address of an operation on the server, with values for the parameters of its path.
func addressOf(o *specs.Operation, values map[string]string) string {
	path := o.Path
	for name, value := range values {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return "/" + string(o.Interface) + o.Document.BasePath + path
}

// values gives the path parameters that lead to a thing their values: those of its parents first.
func values(names, parts []string) map[string]string {
	m := map[string]string{}
	for i, name := range names {
		if i < len(parts) {
			m[name] = parts[i]
		}
	}
	return m
}

// catalogOnce makes the catalog when it is first asked for.
func (c *Console) catalogOnce() func() (*catalog, error) {
	return sync.OnceValues(func() (*catalog, error) { return newCatalog(c.brand) })
}
