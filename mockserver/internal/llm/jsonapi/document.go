// Package jsonapi implements the resources of the LLM interface, which use JSON:API: their documents, pages, relations,
// filters and errors. A KindOf describes the special behaviour of one kind of resource.
package jsonapi

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// MediaType is the media type of resources and collections, and of the errors of their operations.
const MediaType = "application/vnd.api+json"

// dialect is the form of this interface's answers for resources.
var dialect = resource.Dialect{
	Deleted: http.StatusNoContent,
	One:     func(_ *op.Call, _ string, view any) any { return &document{Data: view.(*Item)} },
	List:    func(c *op.Call, list resource.List) any { return newCollection(c, list) },
}

// document is one resource.
type document struct {
	Data     *Item   `json:"data"`
	Included []*Item `json:"included,omitempty"`
}

// collection is a page of resources.
type collection struct {
	Data     []*Item   `json:"data"`
	Meta     meta      `json:"meta"`
	Links    pageLinks `json:"links"`
	Included []*Item   `json:"included,omitempty"`
}

type meta struct {
	Total int `json:"total"`
}

type pageLinks struct {
	First string `json:"first"`
	Last  string `json:"last"`
	Next  string `json:"next,omitempty"`
	Prev  string `json:"prev,omitempty"`
}

// Item is a resource. It shows only the relationships that a call asks for.
type Item struct {
	ID            string                  `json:"id"`
	Type          string                  `json:"type"`
	Links         any                     `json:"links,omitempty"`
	Attributes    any                     `json:"attributes"`
	Relationships map[string]relationship `json:"relationships,omitempty"`

	related func(relation string) []Identifier
}

// Item returns a resource in its wire form.
func (k *Kind) Item(c *op.Call, row any) *Item {
	head, _ := world.Parts(row)
	i := &Item{ID: head.UUID, Type: k.Type, Attributes: k.shown(c, row)}
	if self := c.Base + "/api/" + Snake(k.Type) + "/" + url.PathEscape(head.UUID); k.links != nil {
		i.Links = k.links(self)
	} else if !k.unlinked {
		i.Links = links{Self: self}
	}
	i.related = func(relation string) []Identifier {
		switch relation {
		case "createdBy":
			return []Identifier{userIdentifier(c.World, head.CreatedBy)}
		case "updatedBy":
			return []Identifier{userIdentifier(c.World, head.UpdatedBy)}
		}
		return k.related(c.World, row, relation)
	}
	return i
}

// TimedAttributes holds the attributes of a kind with the times that all resources have.
type TimedAttributes[A any] struct {
	CreatedAt string `json:"createdAt,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
	Own       A      `json:",embed"`
}

// WithTimes returns the attributes of a resource with its times.
func WithTimes[A any](r world.Resource[A]) TimedAttributes[A] {
	return TimedAttributes[A]{CreatedAt: Millis(r.CreatedAt), UpdatedAt: Millis(r.UpdatedAt), Own: r.Attributes}
}

type links struct {
	Self string `json:"self"`
}

// relationship links to one resource, or to several.
type relationship struct {
	Data any `json:"data"` // an identifier or a list of them
}

// Identifier identifies the target of a relation.
type Identifier struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func newCollection(c *op.Call, list resource.List) *collection {
	page := &collection{Data: make([]*Item, len(list.Items)), Meta: meta{list.Total}}
	for i, one := range list.Items {
		page.Data[i] = one.(*Item)
	}
	size, at := list.Page.Limit, list.Page.Offset
	link := func(offset int) string {
		query := url.Values{}
		maps.Copy(query, c.Query)
		query.Set("page[limit]", strconv.Itoa(size))
		query.Set("page[offset]", strconv.Itoa(offset))
		return c.Base + c.Operation.Path + "?" + query.Encode()
	}
	page.Links = pageLinks{First: link(0), Last: link(max(0, (list.Total-1)/size*size))}
	if at+size < list.Total {
		page.Links.Next = link(at + size)
	}
	if at > 0 {
		page.Links.Prev = link(max(0, at-size))
	}
	return page
}

// PlainReply answers with a body that is not JSON:API.
func PlainReply(body any) (op.Reply, error) {
	return op.Reply{Status: http.StatusOK, Type: "application/json", Body: body}, nil
}

// Millis returns a time in the form of resources, or the empty text for the zero time.
func Millis(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Snake returns a name in the spelling of paths and older requests: agentSchedules is agent_schedules.
func Snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Camel returns a name in the spelling of attributes: attachment_index is attachmentIndex.
func Camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
