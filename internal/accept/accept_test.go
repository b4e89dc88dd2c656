package accept_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

var directions = []accept.Direction{accept.Request, accept.Response, accept.SentBack}

func TestEverySchemaOfTheDocumentsIsCompiled(t *testing.T) {
	t.Parallel()
	for _, p := range places(t) {
		for _, d := range directions {
			if accept.Compile(p.schema, d) == nil {
				t.Errorf("%s is not compiled", p.name)
			}
		}
	}
}

func TestTheVerdictIsThatOfKinOpenAPI(t *testing.T) {
	t.Parallel()
	accepted, refused := 0, 0
	for i, p := range places(t) {
		for _, d := range directions {
			tree := accept.Compile(p.schema, d)
			g := &generator{Rand: rand.New(rand.NewPCG(uint64(i), uint64(d)))}
			for range 20 {
				if compare(t, p, d, tree, g) {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	if accepted < refused/4 || refused < accepted/4 {
		t.Errorf("%d values were accepted and %d refused; want some of both", accepted, refused)
	}
}

// compare makes a value by a schema, and reports whether both accept it.
func compare(t *testing.T, p place, d accept.Direction, tree *accept.Tree, g *generator) bool {
	t.Helper()
	value := g.value(p.schema)
	if g.IntN(3) == 0 {
		value = g.spoil(value)
	}
	err := p.schema.VisitJSON(value, d.Options()...)
	got := tree.Accepts(value)
	text, _ := json.Marshal(value)
	if got != (err == nil) {
		t.Errorf("%s, direction %d: accepted: %v, but kin-openapi says %v: %s", p.name, d, got, err, text)
	}
	compareText(t, p.schema, d, tree, text)
	compareAsJudged(t, p, d, asJudged(g, value))
	return got
}

// formats are some as the judge has them.
var formats = accept.Formats{
	"uuid": openapi3.NewRegexpFormatValidator(`^[0-9a-f-]{36}$`), "date": openapi3.NewRegexpFormatValidator("29$"),
	"date-time": openapi3.NewRegexpFormatValidator("Z$"),
}

// compareAsJudged compares the verdicts on a value with formats, and with all errors of kin-openapi.
func compareAsJudged(t *testing.T, p place, d accept.Direction, value any) {
	t.Helper()
	err := p.schema.VisitJSON(value, append(d.Options(), openapi3.MultiErrors(),
		openapi3.WithStringFormatValidators(formats))...)
	if got := accept.CompileWith(formats, p.schema, d).Accepts(value); got != (err == nil) {
		text, _ := json.Marshal(value)
		t.Errorf("%s, direction %d, as judged: accepted: %v, but kin-openapi says %v: %s", p.name, d, got, err, text)
	}
}

// asJudged returns a value with its numbers as they may be written, some beyond what a float64 holds.
func asJudged(g *generator, value any) any {
	switch value := value.(type) {
	case float64:
		written := strconv.FormatFloat(value, 'f', -1, 64)
		return json.Number(pick(g, []string{written, written, written, "1e999", "-1e999", "1e-999", "0.10e1"}))
	case []any:
		list := []any{}
		for _, item := range value {
			list = append(list, asJudged(g, item))
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			object[name] = asJudged(g, value[name])
		}
		return object
	}
	return value
}

// compareText holds the verdict on a text that is JSON, and on one with more behind it, against that of kin-openapi.
func compareText(t *testing.T, schema *openapi3.Schema, d accept.Direction, tree *accept.Tree, text []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	err := schema.VisitJSON(value, d.Options()...)
	if got := tree.AcceptsText(text); got != (err == nil) {
		t.Errorf("direction %d: text accepted: %v, but kin-openapi says %v: %s", d, got, err, text)
	}
	if tree.AcceptsText(append(text, ",1"...)) {
		t.Errorf("direction %d: accepted with more behind it: %s", d, text)
	}
}

// FuzzVerdicts holds trees of the documents' schemas against kin-openapi, with values that are made by the schemas.
func FuzzVerdicts(f *testing.F) {
	all := places(f)
	for i := range 20 {
		f.Add(uint16(i*len(all)/20), uint64(i))
	}
	f.Fuzz(func(t *testing.T, at uint16, seed uint64) {
		p := all[int(at)%len(all)]
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		for _, d := range directions {
			tree := accept.Compile(p.schema, d)
			for range 5 {
				compare(t, p, d, tree, g)
			}
		}
	})
}

// FuzzSchemas holds trees of any schema against kin-openapi, with any value.
func FuzzSchemas(f *testing.F) {
	for _, c := range cases {
		for _, value := range append(c.accepted, c.refused...) {
			f.Add([]byte(c.schema), []byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, schemaText, valueText []byte) {
		schema := &openapi3.Schema{}
		var value any
		if schema.UnmarshalJSON(schemaText) != nil || schema.Validate(t.Context()) != nil ||
			json.Unmarshal(valueText, &value) != nil {
			t.Skip()
		}
		for _, d := range directions {
			tree := accept.Compile(schema, d)
			if tree == nil {
				continue
			}
			err := schema.VisitJSON(value, d.Options()...)
			if got := tree.Accepts(value); got != (err == nil) {
				t.Errorf("direction %d: accepted: %v, but kin-openapi says %v", d, got, err)
			}
			if err != nil && tree.AcceptsText(valueText) {
				t.Errorf("direction %d: text accepted, but kin-openapi says %v", d, err)
			}
		}
	})
}
