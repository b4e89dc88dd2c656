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
	// Objects holds them by resource, such as shop.product, in the order of creation. Dumps have an older name for it.
	Objects table.Index[string, table.Table[Object]] `json:"Things"`

	named table.Index[string, int64]             // the id of an object by its name, unless it is the key; see restoreNames
	found table.Index[string, table.Table[bool]] // the ids of objects by their words, likewise
	words table.Index[string, *Words]            // by resource
}

// Words gives objects of a resource the words by which Own.With finds them, beside the keys of their parents.
type Words struct {
	Key string // two with the same key give the same words
	Of  func(Object) []string
}

// Object is an object of an interface of the user's own.
type Object struct {
	Keys []string       `json:"keys"` // what names it in a path, its parents first
	Text jsontext.Value `json:"text"` // the object as answers show it; null of one of a path that was deleted
}

// nameOf returns the name of an object.
func nameOf(resource string, keys []string) string {
	return resource + "\x00" + strings.Join(keys, "\x00")
}

// Find returns the object of a resource that the keys name, with its id.
func (o *Own) Find(resource string, keys []string) (id int64, object Object, ok bool) {
	objects, _ := o.Objects.Get(resource)
	if n := len(keys); n > 0 && strings.Trim(keys[n-1], "0123456789") == "" { // an error would cost more than the search
		id, _ := strconv.ParseInt(keys[n-1], 10, 64) // 0 of none
		if object, ok = objects.Get(id); ok && slices.Equal(object.Keys, keys) {
			return id, object, true
		}
	}
	if id, ok = o.named.Get(nameOf(resource, keys)); !ok {
		return 0, Object{}, false
	}
	object, ok = objects.Get(id)
	return id, object, ok
}

// name makes an object be found by its name. By a key that is its id, Find finds it without.
func (o *Own) name(resource string, id int64, keys []string) {
	var room [20]byte // on the stack
	if len(keys) == 0 || keys[len(keys)-1] != string(strconv.AppendInt(room[:0], id, 10)) {
		o.named.Put(nameOf(resource, keys), id)
	}
}

// Keep adds an object, or replaces the one with the id, which had the keys before.
func (o *Own) Keep(resource string, id int64, before []string, object Object) {
	objects, _ := o.Objects.Get(resource)
	if before != nil {
		had, _ := objects.Get(id)
		o.forget(resource, id, had)
	}
	if before == nil || !slices.Equal(before, object.Keys) {
		if before != nil {
			o.named.Delete(nameOf(resource, before))
		}
		o.name(resource, id, object.Keys)
	}
	objects.Put(id, object)
	o.Objects.Put(resource, objects)
	o.index(resource, id, object)
}

// NewObject returns the id of the next object of a resource, from 1: a later one than any of it has had.
func (w *State) NewObject(resource string) int64 {
	objects, _ := w.Own.Objects.Get(resource)
	reserved, _ := w.ids.Get(resource)
	return max(reserved, table.Last(&objects)) + 1
}

// Drop removes an object.
func (w *State) Drop(resource string, id int64, keys []string) {
	o := &w.Own
	w.Reserve(resource, id)
	o.named.Delete(nameOf(resource, keys))
	objects, _ := o.Objects.Get(resource)
	object, _ := objects.Get(id)
	table.Delete(&objects, id)
	o.Objects.Put(resource, objects)
	o.forget(resource, id, object)
}

// forget makes an object no longer be found by its words.
func (o *Own) forget(resource string, id int64, object Object) {
	for word := range o.wordsOf(resource, object) {
		ids, _ := o.found.Get(word)
		if table.Delete(&ids, id); table.Len(&ids) == 0 {
			o.found.Delete(word)
		} else {
			o.found.Put(word, ids)
		}
	}
}

// index makes an object be found by its words.
func (o *Own) index(resource string, id int64, object Object) {
	for word := range o.wordsOf(resource, object) {
		ids, _ := o.found.Get(word)
		ids.Put(id, true)
		o.found.Put(word, ids)
	}
}

// wordsOf yields the words of an object: one for each object that it is below, and those of the resource.
func (o *Own) wordsOf(resource string, object Object) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 1; n < len(object.Keys); n++ {
			if !yield(belowOf(resource, object.Keys[:n])) {
				return
			}
		}
		words, hasSome := o.words.Get(resource)
		if !hasSome {
			return
		}
		for _, word := range words.Of(object) {
			if !yield(wordOf(resource, word)) {
				return
			}
		}
	}
}

func belowOf(resource string, parents []string) string { return "below " + nameOf(resource, parents) }
func wordOf(resource, word string) string              { return "word " + resource + "\x00" + word }

// Below yields the objects of a resource whose keys begin with those of a parent, in the order of creation.
func (o *Own) Below(resource string, parents []string) iter.Seq2[int64, Object] {
	if len(parents) == 0 {
		objects, _ := o.Objects.Get(resource)
		return table.All(&objects)
	}
	return o.with(resource, belowOf(resource, parents))
}

// With yields the objects of a resource to which words give a word, in the order of creation. The first time, and with
// other words than before, it looks at all of the resource.
func (o *Own) With(resource string, words *Words, word string) iter.Seq2[int64, Object] {
	o.Index(resource, words)
	return o.with(resource, wordOf(resource, word))
}

// Index makes objects of a resource be found by their words.
func (o *Own) Index(resource string, words *Words) {
	if before, hasSome := o.words.Get(resource); hasSome && before.Key == words.Key {
		return
	}
	all, _ := o.Objects.Get(resource)
	for id, object := range table.All(&all) {
		o.forget(resource, id, object)
	}
	o.words.Put(resource, words)
	for id, object := range table.All(&all) {
		o.index(resource, id, object)
	}
}

func (o *Own) with(resource, word string) iter.Seq2[int64, Object] {
	ids, _ := o.found.Get(word)
	objects, _ := o.Objects.Get(resource)
	return func(yield func(int64, Object) bool) {
		for id := range table.All(&ids) {
			if object, ok := objects.Get(id); ok && !yield(id, object) {
				return
			}
		}
	}
}

func (o *Own) isEmpty() bool {
	for _, objects := range table.Entries(&o.Objects) {
		if table.Len(&objects) > 0 {
			return false
		}
	}
	return true
}

// restoreNames finds objects by their names again. Objects that no operation could have made are refused.
func (o *Own) restoreNames() error {
	for resource, objects := range table.Entries(&o.Objects) {
		for id, object := range table.All(&objects) {
			if other, _, isTaken := o.Find(resource, object.Keys); isTaken && other != id || !object.Text.IsValid() {
				return fmt.Errorf("own: %s %s: want an object, and keys that no other one has", resource,
					strings.Join(object.Keys, "/"))
			}
			o.name(resource, id, object.Keys)
			o.index(resource, id, object)
		}
	}
	return nil
}
