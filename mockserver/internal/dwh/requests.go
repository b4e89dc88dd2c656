package dwh

import (
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const maxName = 255 // characters (assumed)

// request is the body of a creation or an update. What is absent stays as it is; each part of the configurations is
// replaced as a whole.
type request struct {
	Name     *string        `json:"name"`
	Basic    jsontext.Value `json:"basic_configs"`
	Advanced jsontext.Value `json:"advanced_configs"`
	Output   jsontext.Value `json:"output_config"`
	Filter   jsontext.Value `json:"filter_configs"`
	Type     *string        `json:"schedule_type"`
	Option   *string        `json:"schedule_option"`
	Timezone *string        `json:"timezone"`
}

// readRequest applies the body to an integration, and checks what comes out of it. Targets are looked for when the body
// names some, so that an integration whose table was deleted can still be renamed (assumed).
func readRequest(c *op.Call, i world.Warehouse) (world.Warehouse, configs, error) {
	var r request
	if err := c.Decode(&r); err != nil {
		return i, configs{}, err
	}
	if err := r.apply(&i); err != nil {
		return i, configs{}, err
	}
	parts, err := readConfigs(i.Config)
	if err != nil {
		return i, parts, err
	}
	err = errors.Join(checkName(i.Name), parts.check(), checkSchedule(i.Schedule))
	if err == nil && (isPresent(r.Output) || isPresent(r.Advanced)) {
		err = parts.checkTargets(c)
	}
	return i, parts, err
}

func (r request) apply(i *world.Warehouse) error {
	setText(&i.Name, r.Name)
	setText(&i.Schedule.Type, r.Type)
	setText(&i.Schedule.Option, r.Option)
	setText(&i.Schedule.Timezone, r.Timezone)
	g := &i.Config
	err := errors.Join(setPart(&g.Basic, r.Basic), setPart(&g.Advanced, r.Advanced), setPart(&g.Output, r.Output),
		setPart(&g.Filter, r.Filter))
	if err == nil {
		fillDefaults(g, isPresent(r.Advanced))
	}
	g.Digest = digestOf(g.Basic, g.Advanced, g.Output, g.Filter)
	return err
}

func setText(field, to *string) {
	if to != nil {
		*field = *to
	}
}

// setPart keeps a part in the form in which dumps write it, so that it comes back from one as it was.
func setPart[T ~[]byte](part *T, to jsontext.Value) error {
	if !isPresent(to) {
		return nil
	}
	compact, err := jsontext.AppendFormat(nil, to)
	if err != nil {
		return op.Invalid("", "request body: %v", err)
	}
	*part = compact
	return nil
}

// isPresent takes null for absence.
func isPresent(part jsontext.Value) bool { return len(part) > 0 && part.Kind() != 'n' }

func checkName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return missingField("name")
	case n > maxName:
		return op.Invalid("name", "want 1 to %d characters, not %d", maxName, n)
	}
	return nil
}

func missingField(field string) error { return op.Invalid(field, "is missing") }
