package manual

import (
	_ "embed" // the trials
	"maps"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

const (
	quickstart = "quickstart"
	whole      = "full-account"
)

// theID stands in a call for what the call before it has answered.
const theID = "$ID"

// known holds what examples need beside what the documents say.
type known struct {
	Common    map[specs.Interface]map[string]string // values of parameters
	Resources map[string]string                     // ids of the LLM interface, by their collections
	Trials    map[string]trial                      // by operation
}

//go:embed trials.yaml
var trialsText []byte

var readTrials = sync.OnceValue(func() (k known) {
	if err := yaml.Unmarshal(trialsText, &k); err != nil {
		panic(err) // the file is a part of the program
	}
	return k
})

// trial holds what the example of an operation needs beside what its document says, so that it works against a
// scenario.
type trial struct {
	Scenario string            // quickstart unless stated
	Values   map[string]string // of parameters
	Body     map[string]any    // what is different from the document's example
	Rows     string            // of JSON or msgpack, that are compressed to be the body
	Before   *step
	Note     string
}

// step is a call that comes first, to make or find what the example is about.
type step struct {
	ID    string // of the operation
	Field string // that is taken out of its answer: the first one of this name, id unless stated
	trial `yaml:",inline"`
}

// trialOf looks up an operation by its name, by the collection that its path is in, and by its interface.
func trialOf(op *specs.Operation) trial {
	t := readTrials().Trials[op.Name()]
	values := map[string]string{}
	maps.Copy(values, readTrials().Common[op.Interface])
	if op.Interface == specs.LLM || op.Interface == specs.DWH {
		t.Scenario = whole
	}
	if op.Interface == specs.LLM {
		ofCollection(op, &t, values)
	}
	maps.Copy(values, t.Values)
	t.Values = values
	return t
}

// ofCollection fills in the id of a resource of the LLM interface: of one that the scenario has, or of one that is made
// before, where the scenario has none or the call takes it away.
func ofCollection(op *specs.Operation, t *trial, values map[string]string) {
	_, rest, _ := strings.Cut(op.Path, "/api/")
	collection, _, found := strings.Cut(rest, "/{id}")
	if !found {
		return
	}
	id := readTrials().Resources[collection]
	if maker := makerOf(op, collection); t.Before == nil && (id == "" || op.Method == "DELETE") && maker != nil {
		t.Before, id = &step{ID: maker.ID, trial: trialOf(maker)}, theID
	}
	if op.Method == "PATCH" {
		t.Body = map[string]any{"data": map[string]any{"id": id}}
	}
	values["id"] = id
}

// makerOf returns the operation that makes resources of a collection, or nil.
func makerOf(op *specs.Operation, collection string) *specs.Operation {
	for _, other := range op.Document.Operations {
		if other.Method == "POST" && other.Path == "/api/"+collection {
			return other
		}
	}
	return nil
}
