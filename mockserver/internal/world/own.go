package world

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/table"
)

// Own is the state of the interfaces that are a user's own: what their operations have made, as their answers show it.
type Own struct {
	Things table.Index[string, table.Table[Thing]] // by resource, such as shop.product, in the order of creation

	named table.Index[string, int64]             // the id of a thing by its name, unless it is the key; see restoreNames
	found table.Index[string, table.Table[bool]] // the ids of things by their words, likewise
	words table.Index[string, *Words]            // by resource
}

// Words gives things of a resource the words by which Own.With finds them, beside the keys of their parents.
type Words struct {
	Key string // two with the same key give the same words
	Of  func(Thing) []string
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
	things, _ := o.Things.Get(resource)
	if n := len(keys); n > 0 && strings.Trim(keys[n-1], "0123456789") == "" { // an error would cost more than the search
		id, _ := strconv.ParseInt(keys[n-1], 10, 64) // 0 of none
		if thing, ok = things.Get(id); ok && slices.Equal(thing.Keys, keys) {
			return id, thing, true
		}
	}
	if id, ok = o.named.Get(nameOf(resource, keys)); !ok {
		return 0, Thing{}, false
	}
	thing, ok = things.Get(id)
	return id, thing, ok
}

// name makes a thing be found by its name. By a key that is its id, Find finds it without.
func (o *Own) name(resource string, id int64, keys []string) {
	var room [20]byte // on the stack
	if len(keys) == 0 || keys[len(keys)-1] != string(strconv.AppendInt(room[:0], id, 10)) {
		o.named.Put(nameOf(resource, keys), id)
	}
}

// Keep adds a thing, or replaces the one with the id, which had the keys before.
func (o *Own) Keep(resource string, id int64, before []string, thing Thing) {
	things, _ := o.Things.Get(resource)
	if before != nil {
		had, _ := things.Get(id)
		o.forget(resource, id, had)
	}
	if before == nil || !slices.Equal(before, thing.Keys) {
		if before != nil {
			o.named.Delete(nameOf(resource, before))
		}
		o.name(resource, id, thing.Keys)
	}
	things.Put(id, thing)
	o.Things.Put(resource, things)
	o.index(resource, id, thing)
}

// NewThing returns the id of the next thing of a resource, from 1: a later one than any of it has had.
func (w *State) NewThing(resource string) int64 {
	things, _ := w.Own.Things.Get(resource)
	reserved, _ := w.ids.Get(resource)
	return max(reserved, table.Last(&things)) + 1
}

// Drop removes a thing.
func (w *State) Drop(resource string, id int64, keys []string) {
	o := &w.Own
	w.Reserve(resource, id)
	o.named.Delete(nameOf(resource, keys))
	things, _ := o.Things.Get(resource)
	thing, _ := things.Get(id)
	table.Delete(&things, id)
	o.Things.Put(resource, things)
	o.forget(resource, id, thing)
}

// forget makes a thing no longer be found by its words.
func (o *Own) forget(resource string, id int64, thing Thing) {
	for word := range o.wordsOf(resource, thing) {
		ids, _ := o.found.Get(word)
		if table.Delete(&ids, id); table.Len(&ids) == 0 {
			o.found.Delete(word)
		} else {
			o.found.Put(word, ids)
		}
	}
}

// index makes a thing be found by its words.
func (o *Own) index(resource string, id int64, thing Thing) {
	for word := range o.wordsOf(resource, thing) {
		ids, _ := o.found.Get(word)
		ids.Put(id, true)
		o.found.Put(word, ids)
	}
}

// wordsOf yields the words of a thing: one for each thing that it is below, and those of the resource.
func (o *Own) wordsOf(resource string, thing Thing) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 1; n < len(thing.Keys); n++ {
			if !yield(belowOf(resource, thing.Keys[:n])) {
				return
			}
		}
		words, hasSome := o.words.Get(resource)
		if !hasSome {
			return
		}
		for _, word := range words.Of(thing) {
			if !yield(wordOf(resource, word)) {
				return
			}
		}
	}
}

func belowOf(resource string, parents []string) string { return "below " + nameOf(resource, parents) }
func wordOf(resource, word string) string              { return "word " + resource + "\x00" + word }

// Below yields the things of a resource whose keys begin with those of a parent, in the order of creation.
func (o *Own) Below(resource string, parents []string) iter.Seq2[int64, Thing] {
	if len(parents) == 0 {
		things, _ := o.Things.Get(resource)
		return table.All(&things)
	}
	return o.with(resource, belowOf(resource, parents))
}

// With yields the things of a resource to which words give a word, in the order of creation. The first time, and with
// other words than before, it looks at all of the resource.
func (o *Own) With(resource string, words *Words, word string) iter.Seq2[int64, Thing] {
	o.Index(resource, words)
	return o.with(resource, wordOf(resource, word))
}

// Index makes things of a resource be found by their words.
func (o *Own) Index(resource string, words *Words) {
	if before, hasSome := o.words.Get(resource); hasSome && before.Key == words.Key {
		return
	}
	all, _ := o.Things.Get(resource)
	for id, thing := range table.All(&all) {
		o.forget(resource, id, thing)
	}
	o.words.Put(resource, words)
	for id, thing := range table.All(&all) {
		o.index(resource, id, thing)
	}
}

func (o *Own) with(resource, word string) iter.Seq2[int64, Thing] {
	ids, _ := o.found.Get(word)
	things, _ := o.Things.Get(resource)
	return func(yield func(int64, Thing) bool) {
		for id := range table.All(&ids) {
			if thing, ok := things.Get(id); ok && !yield(id, thing) {
				return
			}
		}
	}
}

func (o *Own) isEmpty() bool {
	for _, things := range table.Entries(&o.Things) {
		if table.Len(&things) > 0 {
			return false
		}
	}
	return true
}

// restoreNames finds things by their names again. Things that no operation could have made are refused.
func (o *Own) restoreNames() error {
	for resource, things := range table.Entries(&o.Things) {
		for id, thing := range table.All(&things) {
			if other, _, isTaken := o.Find(resource, thing.Keys); isTaken && other != id || !thing.Text.IsValid() {
				return fmt.Errorf("own: %s %s: want an object, and keys that no other one has", resource,
					strings.Join(thing.Keys, "/"))
			}
			o.name(resource, id, thing.Keys)
			o.index(resource, id, thing)
		}
	}
	return nil
}
