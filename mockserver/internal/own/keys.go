package own

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
)

// withKey takes a member of a request for the key that is called like the parameter of paths, such as the username of
// what has a login in answers.
func (r *resource) withKey(given []member) []member {
	if len(r.key) != 1 || !r.keySays.Type.Is(openapi3.TypeString) || index(given, r.key[0]) >= 0 {
		return given
	}
	param := r.spec.Path[len(r.spec.Path)-1]
	if i := index(given, param); i >= 0 && r.schema.members[param] == nil {
		given[i].name = r.key[0]
	}
	return given
}

// name returns the id and the keys of a new object: the key that the client gives it, or else the next one.
func (r *resource) name(call *op.Call, given []member, parents []string) (id int64, keys []string, err error) {
	id = call.World.NewObject(r.spec.Name)
	text, isGiven := textOf(valueAt(given, r.key))
	isText := r.isNumbered() && r.keySays.Type.Is(openapi3.TypeString) // and so may be no key
	switch {
	case !isGiven || r.isKeyManaged():
	case r.isKeyOf(text):
		keys = append(slices.Clip(parents), text)
		if _, _, isTaken := call.World.Own.Find(r.spec.Name, keys); isTaken {
			return 0, nil, op.Conflict("%s with %s %s exists already", r.spec.Title, r.keyName(), text)
		}
		return id, keys, nil
	case !isText:
		return 0, nil, r.behaviour.refusal("invalid", r.keyName(), "%q does not fit the schema of a %s", text, r.spec.Title)
	}
	if r.behaviour.id == "client" {
		return 0, nil, r.behaviour.refusal("invalid", r.keyName(), "want the %s of the new %s", r.keyName(), r.spec.Title)
	}
	for ; ; id++ { // fixtures and clients may have taken some
		keys = append(slices.Clip(parents), r.newKey(call, id))
		if _, _, isTaken := call.World.Own.Find(r.spec.Name, keys); !isTaken {
			return id, keys, nil
		}
	}
}

// newKey returns the key of the n-th object: as make.id has it, or else a number, a UUID, a text like the example of
// the document, or one that its pattern matches.
func (r *resource) newKey(call *op.Call, n int64) string {
	made, s := r.behaviour.id, firstForm(r.keySays)
	if isText := s.Type.Includes(openapi3.TypeString) || s.Type == nil; isText && s.Format == "" && s.Pattern == "" &&
		s.Example == nil && r.param != nil { // which a path must fit as well
		s = firstForm(r.param)
	}
	example, _ := s.Example.(string)
	prefix := example[:strings.LastIndexAny(example, "_-")+1]
	switch {
	case made == "digits":
		sum := call.World.Random(r.spec.Name, n)
		return fmt.Sprint(1e9 + binary.BigEndian.Uint64(sum[:8])%9e9)
	case made == "sequence", made != "uuid" && !s.Type.Includes(openapi3.TypeString):
		return strconv.FormatInt(n, 10)
	case made == "uuid", s.Format == "uuid", s.Format == "guid", len(example) == 36 && strings.Count(example, "-") == 4:
		return call.World.UUID(r.spec.Name, n)
	case s.Pattern != "":
		m := sample.Maker{Seed: call.World.Seed, Place: fmt.Sprint(r.spec.Name, n)}
		plain := *s
		plain.Example = nil
		if value, err := m.Of(&plain); err == nil {
			text, _ := value.(string)
			return text
		}
	case prefix != "" && len(prefix) < len(example)-7:
		sum := call.World.Random(r.spec.Name, n)
		return prefix + hex.EncodeToString(sum[:min(len(sum), (len(example)-len(prefix)+1)/2)])
	}
	text := strconv.FormatInt(n, 10)
	for uint64(len(text)) < s.MinLength {
		text = "0" + text
	}
	return text
}

// firstForm returns the first of the alternatives of a schema that has no type of its own, or the schema.
func firstForm(s *openapi3.Schema) *openapi3.Schema {
	if forms := slices.Concat(s.OneOf, s.AnyOf); s.Type == nil && len(forms) > 0 {
		return cmp.Or(forms[0].Value, s)
	}
	return s
}

// isKeyOf reports whether objects may have a key, as the schema of the member says that shows it. Where that has
// another type, an id may have been taken for the key that paths have a name for, and only the schema of the path
// counts.
func (r *resource) isKeyOf(key string) bool {
	if _, err := strconv.Atoi(key); err != nil && r.isNumbered() {
		return false
	}
	return !r.keySays.Type.Includes(openapi3.TypeString) || fitsSchema(r.keySays, scalar(r.keySays, key))
}

// isNumbered reports whether paths have numbers for keys.
func (r *resource) isNumbered() bool { return r.param != nil && r.param.Type.Is(openapi3.TypeInteger) }

// named gives an object its key.
func (r *resource) named(list []member, keys []string) []member {
	return setAt(list, r.key, scalar(r.keySays, keys[len(keys)-1]))
}
