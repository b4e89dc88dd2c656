package llm

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// requireRef refuses an attribute whose text is the id of no resource in a table. Attributes inside others are written
// with dots: chatInterfaceButtons.0.agentId.
func requireRef[A any](c *op.Call, attribute, uuid string, rows *table.Table[world.Resource[A]]) error {
	if _, ok := find(c.World, uuid, rows); ok {
		return nil
	}
	return noSuchRef(attribute, uuid)
}

// optionalRef is requireRef for attributes that may be null.
func optionalRef[A any](c *op.Call, attribute string, uuid *string, rows *table.Table[world.Resource[A]]) error {
	if uuid == nil {
		return nil
	}
	return requireRef(c, attribute, *uuid, rows)
}

// noSuchRef says that a reference leads nowhere.
func noSuchRef(attribute, uuid string) error {
	return unprocessable(attribute, invalidFormat, "there is no %s with id %q", refNoun(attribute), uuid)
}

// refNoun is what a reference leads to, after its name: projectId leads to a project.
func refNoun(attribute string) string {
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

// find is the resource of a table with an id on the wire.
func find[A any](w *world.World, uuid string, rows *table.Table[world.Resource[A]]) (world.Resource[A], bool) {
	id, ok := w.LLM.UUIDs.Get(uuid)
	if !ok {
		return world.Resource[A]{}, false
	}
	return rows.Get(id)
}

// blankReason is the reason why a text that is empty is refused.
const blankReason = "can't be blank"

// requireText refuses a text that is empty or only space.
func requireText(attribute, text string) error {
	if strings.TrimSpace(text) != "" {
		return nil
	}
	return unprocessable(attribute, cannotBeBlank, blankReason)
}

// requireObject refuses a text that is no JSON object.
func requireObject(attribute, text string) error {
	var object map[string]jsontext.Value
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return unprocessable(attribute, invalidJSON, "want a JSON object as text, not %.40q", text)
	}
	return nil
}

// optionalObject is requireObject for attributes that may be null.
func optionalObject(attribute string, text *string) error {
	if text == nil {
		return nil
	}
	return requireObject(attribute, *text)
}

// attributeAt is the name of an attribute inside the n-th of a list: chatInterfaceButtons.0.label.
func attributeAt(list string, n int, attribute string) string {
	return list + "." + strconv.Itoa(n) + "." + attribute
}
