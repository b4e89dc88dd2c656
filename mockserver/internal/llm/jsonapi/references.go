package jsonapi

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// RequireRef refuses an attribute whose text is not the id of a resource in a table. Attributes inside others are
// written with dots: chatInterfaceButtons.0.agentId.
func RequireRef[A any](c *op.Call, attribute, uuid string, rows *table.Table[world.Resource[A]]) error {
	if _, ok := Find(c.World, uuid, rows); ok {
		return nil
	}
	return NoSuchRef(attribute, uuid)
}

// OptionalRef checks the same as RequireRef, but allows null.
func OptionalRef[A any](c *op.Call, attribute string, uuid *string, rows *table.Table[world.Resource[A]]) error {
	if uuid == nil {
		return nil
	}
	return RequireRef(c, attribute, *uuid, rows)
}

// NoSuchRef returns the error for a reference to a resource that does not exist.
func NoSuchRef(attribute, uuid string) error {
	return Unprocessable(attribute, InvalidFormat, "%s with id %q not found", RefNoun(attribute), uuid)
}

// RefNoun returns the noun for the target of a reference, by its name: projectId refers to a project.
func RefNoun(attribute string) string {
	name := strings.TrimSuffix(attribute[strings.LastIndexByte(attribute, '.')+1:], "Id")
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Find returns the resource of a table that has an id on the wire.
func Find[A any](w *world.State, uuid string, rows *table.Table[world.Resource[A]]) (world.Resource[A], bool) {
	id, ok := w.LLM.UUIDs.Get(uuid)
	if !ok {
		return world.Resource[A]{}, false
	}
	return rows.Get(id)
}

// BlankReason is the reason for the refusal of an empty text.
const BlankReason = "can't be blank"

// RequireText refuses a text that is empty or only space.
func RequireText(attribute, text string) error {
	if strings.TrimSpace(text) != "" {
		return nil
	}
	return Unprocessable(attribute, CannotBeBlank, BlankReason)
}

// RequireObject refuses a text that is not a JSON object.
func RequireObject(attribute, text string) error {
	var object map[string]jsontext.Value
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return Unprocessable(attribute, InvalidJSON, "want a JSON object in a string, not %.40q", text)
	}
	return nil
}

// OptionalObject checks the same as RequireObject, but allows null.
func OptionalObject(attribute string, text *string) error {
	if text == nil {
		return nil
	}
	return RequireObject(attribute, *text)
}

// AttributeAt returns the name of an attribute inside the n-th item of a list: chatInterfaceButtons.0.label.
func AttributeAt(list string, n int, attribute string) string {
	return list + "." + strconv.Itoa(n) + "." + attribute
}

// Dependents holds the resources of one kind that refer to a resource to be deleted.
type Dependents struct {
	Plural string
	Meta   string // the member of an error's meta that lists them, or empty
	List   []Identifier
}

// RequireUnused refuses a deletion while there are dependents, and names them all.
func RequireUnused(kinds ...Dependents) error {
	meta := map[string]any{}
	var reasons []string
	for _, d := range kinds {
		if len(d.List) == 0 {
			continue
		}
		references, ids := make([]referrer, len(d.List)), make([]string, len(d.List))
		for i, one := range d.List {
			references[i], ids[i] = referrer{one.ID}, one.ID
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s)", d.Plural, strings.Join(ids, ", ")))
		if d.Meta != "" {
			meta[d.Meta] = references
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	err := UnprocessableResource(inUse, "it cannot be deleted while these refer to it: %s", strings.Join(reasons, ", "))
	err.Details = meta
	return err
}

// referrer is a resource that refers to another, in an error's meta.
type referrer struct {
	ID string `json:"id"`
}

// IDSet holds resources by their ids on the wire.
type IDSet map[string]bool

// DeleteWhere deletes the resources of a table for which a test holds, and returns their ids.
func DeleteWhere[A any](w *world.State, rows *table.Table[world.Resource[A]], goes func(A) bool) IDSet {
	gone := IDSet{}
	for id, row := range table.All(rows) {
		if goes(row.Attributes) {
			table.Delete(rows, id)
			w.LLM.UUIDs.Delete(row.UUID)
			gone[row.UUID] = true
		}
	}
	return gone
}

// UpdateWhere stores the resources of a table for which apply reports a change.
func UpdateWhere[A any](rows *table.Table[world.Resource[A]], apply func(*A) bool) {
	for id, row := range table.All(rows) {
		if apply(&row.Attributes) {
			rows.Put(id, row)
		}
	}
}

// IdentifiersWhere returns the identifiers of the resources of a table for which a test holds.
func IdentifiersWhere[A any](kind string, rows *table.Table[world.Resource[A]], holds func(A) bool) []Identifier {
	list := []Identifier{}
	for _, row := range table.All(rows) {
		if holds(row.Attributes) {
			list = append(list, Identifier{kind, row.UUID})
		}
	}
	return list
}
