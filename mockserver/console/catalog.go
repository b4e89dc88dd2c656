package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/specs"
)

// kind is a kind of objects, with what can be done to them.
type kind struct {
	*specs.Resource
	Interface  specs.Interface
	List, Get  *specs.Operation
	Operations []*specs.Operation // others: they make, change and delete
	Nested     []*kind            // parts of one, which its path leads to
}

// catalog holds the documents of a server, and the kinds that they describe.
type catalog struct {
	documents []*specs.Document
	readable  map[specs.Interface]func() *specs.Document
	kinds     []*kind
	byName    map[string]*kind
}

// documented is a server that serves its interfaces by documents.
type documented interface {
	Documents() ([]*specs.Document, error)
}

// catalog returns the catalog of the documents that the server has now.
func (s *serverConsole) catalog() (*catalog, error) {
	server, ok := s.server.(documented)
	if !ok {
		return nil, fmt.Errorf("console: a %T has no documents; want a server of package mockserver", s.server)
	}
	documents, err := server.Documents()
	if err != nil {
		return nil, err
	}
	s.catalogMu.Lock()
	defer s.catalogMu.Unlock()
	if s.known == nil || !slices.Equal(s.known.documents, documents) {
		s.known = newCatalog(documents)
	}
	return s.known, nil
}

func newCatalog(documents []*specs.Document) *catalog {
	c := &catalog{
		documents: documents, byName: map[string]*kind{}, readable: map[specs.Interface]func() *specs.Document{},
	}
	for _, doc := range documents {
		c.readable[doc.Interface] = sync.OnceValue(func() *specs.Document {
			if readable, err := doc.Readable(); err == nil {
				return readable
			}
			return doc // whose text is wrong where no operation needs it
		})
		doc = doc.WithoutExtras()
		for _, r := range doc.Resources() {
			if strings.HasPrefix(r.Name, string(doc.Interface)+".") {
				k := &kind{Resource: r, Interface: doc.Interface}
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
	return c
}

// document returns the document of an interface, without the texts that only people read; nil if it is not served.
func (c *catalog) document(name specs.Interface) *specs.Document {
	at := slices.IndexFunc(c.documents, func(d *specs.Document) bool { return d.Interface == name })
	if at < 0 {
		return nil
	}
	return c.documents[at]
}

// names lists the interfaces in the order in which the server has them.
func (c *catalog) names() (names []string) {
	for _, doc := range c.documents {
		names = append(names, string(doc.Interface))
	}
	return names
}

// simplest returns an operation that lists objects and needs nothing, that of workflow's pools where there is one; else
// any that is a GET, and else the first.
func (c *catalog) simplest() *specs.Operation {
	if doc := c.document(specs.Workflow); doc != nil && doc.Operation("listPools") != nil {
		return doc.Operation("listPools")
	}
	for _, k := range c.kinds {
		if k.IsTop() {
			return k.List
		}
	}
	for _, doc := range c.documents {
		for _, o := range doc.Operations {
			if o.Method == "GET" && len(pathParameters(o)) == 0 {
				return o
			}
		}
	}
	return c.documents[0].Operations[0]
}

// add notes what an operation does to the resource that it is about.
func (c *catalog) add(o *specs.Operation) {
	actions := o.Actions()
	if len(actions) == 0 || c.byName[actions[0].Resource.Name] == nil {
		return
	}
	k := c.byName[actions[0].Resource.Name]
	switch {
	case o.Method == "GET" && actions[0].Verb == specs.List && len(actions[0].At) > 0 && (k.List == nil ||
		len(o.Path) < len(k.List.Path)):
		k.List = o
	case actions[0].Verb == specs.Get && k.Get == nil:
		k.Get = o
	case o.Method != "GET":
		k.Operations = append(k.Operations, o)
	}
}

// named returns the kind whose keys a member of a user's own document has, by its name: that of productId is product.
func (c *catalog) named(iface specs.Interface, member string) *kind {
	member = strings.ToLower(strings.ReplaceAll(member, "_", ""))
	for _, k := range c.kinds {
		noun := strings.ReplaceAll(k.Title, " ", "")
		if k.Interface == iface && iface.IsOwn() && (k.IsTop() || k.IsOpen()) && member == strings.ToLower(noun)+"id" {
			return k
		}
	}
	return nil
}

// action returns the action of an operation on the resource that it is about.
func action(o *specs.Operation) *specs.Action { return o.Actions()[0] }

// Noun is the name of the kind for people.
func (k *kind) Noun() string { return k.Title }

// IsTop reports whether one of the kind can be listed without knowing another object.
func (k *kind) IsTop() bool { return k.List != nil && len(pathParameters(k.List)) == 0 }

// IsOpen reports whether one of the kind can be seen by whoever knows its key, and no list has them. It is so with
// documents of a user's own.
func (k *kind) IsOpen() bool {
	return k.List == nil && k.Interface.IsOwn() && k.Get != nil && len(pathParameters(k.Get)) == 1
}

// leading returns the path parameters of an operation that name what it is about: one of a kind, or what a new one is a
// part of.
func leading(o *specs.Operation) (names []string, isNew bool) {
	a := action(o)
	if len(a.Path) == 0 || a.Verb == specs.Create && !slices.Contains(pathParameters(o), a.Path[len(a.Path)-1]) {
		return a.Within, true
	}
	return a.Path, false
}

// Makes returns the operations that make one, which the path of none leads to.
func (k *kind) Makes() []*specs.Operation {
	return slices.DeleteFunc(slices.Clone(k.Operations), func(o *specs.Operation) bool {
		_, isNew := leading(o)
		return !isNew
	})
}

// Changes returns the operations that are about one of them.
func (k *kind) Changes() []*specs.Operation {
	return slices.DeleteFunc(slices.Clone(k.Operations), func(o *specs.Operation) bool {
		_, isNew := leading(o)
		return isNew
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

// values gives the path parameters that lead to an object their values: those of its parents first.
func values(names, parts []string) map[string]string {
	m := map[string]string{}
	for i, name := range names {
		if i < len(parts) {
			m[name] = parts[i]
		}
	}
	return m
}
