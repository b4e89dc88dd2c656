package ingestion_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// FuzzEvents sends anything as an event: it becomes the record that another reader of JSON sees in it, or is refused.
func FuzzEvents(f *testing.F) {
	for _, event := range []string{
		"", "{}", "null", "[]", `{"a":1e400,"b":[1,{"c":null}],"d":null,"e":true}`, `{"svc_record_time":1768469400}`,
		`{"svc_record_time":"-0x1p-2","time":"2"}`, `{"\u0061":1,"a":2}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":[[[[[[`,
	} {
		f.Add(event, true)
		f.Add(event, false)
	}
	f.Fuzz(func(t *testing.T, event string, strict bool) {
		mode := mockserver.Off
		if strict {
			mode = mockserver.Strict
		}
		c := newClient(t, mockserver.WithValidation(mode))
		a := c.ingest(event)
		if a.Status != 200 {
			if n := c.count(); a.Status != 400 || n != 0 {
				t.Fatalf("status %d, %d records", a.Status, n)
			}
			return
		}
		var members map[string]any
		decoder := json.NewDecoder(strings.NewReader(event))
		decoder.UseNumber()
		if err := decoder.Decode(&members); err != nil || members == nil {
			t.Fatalf("%q is accepted, %v", event, err)
		}
		compareRecord(t, c.tail(), members)
	})
}

// compareRecord holds a record against the event that it was made of.
func compareRecord(t *testing.T, record, event map[string]any) {
	t.Helper()
	const week = 7 * 24 * 60 * 60
	if at, ok := record["time"].(float64); !ok || at < float64(mocktest.Now.Unix()-week) ||
		at > float64(mocktest.Now.Unix()+week) {
		t.Errorf("the time is %v", record["time"])
	}
	delete(record, "time") // also a member of the event, which the time hides
	delete(event, "time")
	for name, value := range event {
		if text, _ := record[name].(string); value != nil && !says(text, value) {
			t.Errorf("%q is %q, want %v", name, record[name], value)
		} else if value == nil && record[name] != nil {
			t.Errorf("%q is %q, want none", name, record[name])
		}
		delete(record, name)
	}
	if len(record) > 0 {
		t.Errorf("the record has more: %v", record)
	}
}

// says reports whether a text stands for a value: as itself, or as its JSON.
func says(text string, value any) bool {
	if plain, ok := value.(string); ok {
		return text == plain
	}
	var got any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // so that numbers are compared as they are spelled
	return decoder.Decode(&got) == nil && cmp.Equal(got, value)
}
