package result_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

func TestResultsThatCannotBeQueued(t *testing.T) {
	t.Parallel()
	w, less := &world.State{}, new(-time.Second)
	out, err := result.NewOutput([][2]string{{"said", "varchar"}}, [][]any{{"hello"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]world.QueuedResult{
		"exactly one":          {Output: out},
		"not 2":                {Query: "a", Pattern: "b", Output: out},
		"pattern: ":            {Pattern: "(", Output: out},
		"rows or an error":     {Query: "a"},
		"either":               {Query: "a", Output: out, Error: "no"},
		"times: ":              {Query: "a", Output: out, Times: -1},
		"cannot be negative":   {Query: "a", Output: out, Queued: less},
		"queued and running c": {Query: "a", Output: out, Running: less},
	} {
		err := result.Queue(w, r)
		if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want %q", r, err, name)
		}
	}
	if n := len(w.Core.Results.List()); n != 0 {
		t.Errorf("%d results are queued", n)
	}
}

func TestRowsThatDoNotFitTheirColumns(t *testing.T) {
	t.Parallel()
	columns := [][2]string{{"n", "bigint"}, {"x", "double"}, {"any", "json"}}
	for _, row := range [][]any{{1}, {1, 2, 3, 4}, {1, 2, make(chan int)}, {json.Number("x"), 1, 1}} {
		if out, err := result.NewOutput(columns, [][]any{row}); err == nil || !strings.HasPrefix(err.Error(), "row 0") {
			t.Errorf("%v: %v, %v", row, out, err)
		}
	}
}
