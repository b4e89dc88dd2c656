package mocktest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// Answer holds the answer to a call.
type Answer struct {
	testing.TB
	Iface  specs.Interface
	Status int
	Header http.Header
	Body   string
}

// Decode reads the answer's JSON into a value of a type.
func Decode[T any](a Answer) (value T) {
	a.Helper()
	a.Into(&value)
	return value
}

// Want fails the test unless the answer has a status.
func (a Answer) Want(status int) Answer {
	a.Helper()
	if a.Status != status {
		a.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// Refused fails the test unless the answer has a status, the form of the interface's errors, and all the words in its
// message.
func (a Answer) Refused(status int, words ...string) {
	a.Helper()
	message := a.Want(status).message()
	for _, word := range words {
		if !strings.Contains(message, word) {
			a.Errorf("the refusal lacks %q: %s", word, a.Body)
		}
	}
}

// message returns the message of an error, or its whole body for an interface without a known form.
func (a Answer) message() string {
	a.Helper()
	switch a.Iface {
	case specs.Core: // it has the message under three names
		message := a.Value("message").Text()
		a.Wants("error", message, "text", message)
		return message
	case specs.Workflow:
		if a.Wants("status", strconv.Itoa(a.Status)); len(a.Object()) != 2 {
			a.Errorf("the refusal has other members, too: %s", a.Body)
		}
		return a.Value("message").Text()
	}
	return a.Body
}

// Into decodes the answer's JSON.
func (a Answer) Into(value any) {
	a.Helper()
	if err := json.Unmarshal([]byte(a.Body), value); err != nil {
		a.Fatalf("%v: %s", err, a.Body)
	}
}

// Object returns the answer's JSON object.
func (a Answer) Object() (object map[string]any) {
	a.Helper()
	a.Into(&object)
	return object
}

// Has fails the test unless the answer's object has these members.
func (a Answer) Has(want map[string]any) {
	a.Helper()
	object, got := a.Object(), map[string]any{}
	for name := range want {
		value, ok := object[name]
		if !ok {
			a.Errorf("%s is missing: %s", name, a.Body)
		}
		got[name] = value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

// Exactly fails the test unless the answer is 200 with exactly these bytes.
func (a Answer) Exactly(body string) {
	a.Helper()
	if diff := cmp.Diff(body, a.Want(http.StatusOK).Body); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

// Same fails the test unless the answer is equal to a JSON text, in any order of members.
func (a Answer) Same(want string) {
	a.Helper()
	var wanted, got any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		a.Fatal(err)
	}
	a.Into(&got)
	if diff := cmp.Diff(wanted, got); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

// Value returns a value of the answer's JSON, by its path: data.attributes.name.
func (a Answer) Value(path string) jsontree.Value {
	a.Helper()
	whole := jsontree.Parse(a.Body)
	if !whole.Exists() {
		a.Fatalf("the answer is not valid JSON: %s", a.Body)
	}
	return whole.Find(path)
}

// Wants fails the test unless values of the answer's JSON have these texts: path, text, path, text. A missing value has
// the empty text.
func (a Answer) Wants(pairs ...string) Answer {
	a.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := a.Value(pairs[i]).Text(); got != pairs[i+1] {
			a.Errorf("%s is %q, want %q: %s", pairs[i], got, pairs[i+1], a.Body)
		}
	}
	return a
}
