package world

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/table"
)

// Own is the state of the interfaces that are a user's own: what their operations have made, as their answers show it.
type Own struct {
	Things table.Index[string, table.Table[Thing]] // by resource, such as shop.product, in the order of creation

	named table.Index[string, int64] // the id of a thing by its name, which restoreDerived restores
}

// Thing is an object of an interface of the user's own.
type Thing struct {
	Keys []string       `json:"keys"` // what names it in a path, its parents first
	Text jsontext.Value `json:"text"` // the object as answers show it; null of one of a path that was deleted
}

// nameOf returns the name of a thing.
func nameOf(resource string, keys []string) string {
	return resource + "\x00" + strings.Join(keys, "\x00")
}

// Find returns the thing of a resource that the keys name, with its id.
func (o *Own) Find(resource string, keys []string) (id int64, thing Thing, ok bool) {
	if id, ok = o.named.Get(nameOf(resource, keys)); !ok {
		return 0, thing, false
	}
	things, _ := o.Things.Get(resource)
	thing, ok = things.Get(id)
	return id, thing, ok
}

// Keep adds a thing, or replaces the one with the id, which had the keys before.
func (o *Own) Keep(resource string, id int64, before []string, thing Thing) {
	if before != nil {
		o.named.Delete(nameOf(resource, before))
	}
	o.named.Put(nameOf(resource, thing.Keys), id)
	things, _ := o.Things.Get(resource)
	things.Put(id, thing)
	o.Things.Put(resource, things)
}

// Drop removes a thing.
func (o *Own) Drop(resource string, id int64, keys []string) {
	o.named.Delete(nameOf(resource, keys))
	things, _ := o.Things.Get(resource)
	table.Delete(&things, id)
	o.Things.Put(resource, things)
}

func (o *Own) isEmpty() bool {
	for range table.Entries(&o.named) {
		return false
	}
	return true
}

// restoreNames finds things by their names again. Things that no operation could have made are refused.
func (o *Own) restoreNames() error {
	for resource, things := range table.Entries(&o.Things) {
		for id, thing := range table.All(&things) {
			name := nameOf(resource, thing.Keys)
			if _, isTaken := o.named.Get(name); isTaken || !thing.Text.IsValid() {
				return fmt.Errorf("own: %s %s: want an object, and keys that no other one has", resource,
					strings.Join(thing.Keys, "/"))
			}
			o.named.Put(name, id)
		}
	}
	return nil
}
