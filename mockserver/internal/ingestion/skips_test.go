package ingestion_test

import (
	"errors"
	"testing"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/ingestion"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

func TestSkips(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.Ingestion, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	// ingest sends an event with a key of nobody, or none, to a rule without a server.
	ingest := func(key string, skip op.Skips) op.Code {
		match := doc.Find("POST", "/postback/v3/event/shop/events")
		_, err := ingestion.Interface(skip).Routes[0].Rule(&op.Call{
			World: &world.World{Clock: clock.New(clock.Frozen, now)}, Operation: match.Operation, Match: &match,
			Body: []byte(`{}`), Header: func(string) string { return "application/json" }, Key: key, Now: now, Skip: skip,
		})
		if refusal := (*op.Error)(nil); errors.As(err, &refusal) {
			return refusal.Code
		}
		return ""
	}
	for _, test := range []struct {
		skip    string
		key     string
		on, off op.Code
	}{
		{ingestion.SkipNoKey, "", op.CodeForbidden, ""},
		{ingestion.SkipWrongKey, "1/nobody", "", op.CodeForbidden},
	} {
		t.Run(test.skip+" can be switched off", func(t *testing.T) {
			t.Parallel()
			on, off := ingest(test.key, nil), ingest(test.key, op.Skips{test.skip: true})
			if on != test.on || off != test.off {
				t.Errorf("the answer is %q with the rule and %q without, want %q and %q", on, off, test.on, test.off)
			}
		})
	}
	t.Run(ingestion.SkipSize+" can be switched off", func(t *testing.T) {
		t.Parallel()
		on := ingestion.Interface(nil).Routes[0].MaxBody
		off := ingestion.Interface(op.Skips{ingestion.SkipSize: true}).Routes[0].MaxBody
		if on != maxBody || off != 0 {
			t.Errorf("bodies have at most %d bytes with the rule and %d without", on, off)
		}
	})
}
