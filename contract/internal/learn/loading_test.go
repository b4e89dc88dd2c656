package learn_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/source"
)

// refusing returns a builder that refuses scenarios for what wrong finds in them.
func refusing(wrong func(scenario map[string]any) error) contract.BuildLearned {
	return func(learned *contract.Learned) (contract.Subject, error) {
		var scenario map[string]any
		if err := yaml.Unmarshal(learned.Scenario, &scenario); err != nil {
			return contract.Subject{}, err
		}
		return contract.Subject{
			Handler: http.NotFoundHandler(), Clock: func(time.Time) error { return nil },
		}, wrong(scenario)
	}
}

// poolsIn returns the names of the pools of a scenario.
func poolsIn(scenario map[string]any) (names []string) {
	section, _ := scenario["workflow"].(map[string]any)
	list, _ := section["pools"].([]any)
	for _, pool := range list {
		names = append(names, fmt.Sprint(pool.(map[string]any)["name"]))
	}
	return names
}

func TestLoading(t *testing.T) {
	t.Parallel()
	pools := recordingOf(said{method: "GET", path: "/workflow/api/pools", status: 200, answer: `{"pools":[
		{"id":"1","name":"default","default":true,"concurrencyLimit":10},{"id":"2","name":"a","default":false,"concurrencyLimit":1},
		{"id":"3","name":"b","default":false,"concurrencyLimit":1},{"id":"4","name":"c","default":false,"concurrencyLimit":1}]}`})
	for name, test := range map[string]struct {
		wrong func(scenario map[string]any) error
		note  string // that is wanted
	}{
		"a place that is named is left out": {func(scenario map[string]any) error {
			for i, name := range poolsIn(scenario) {
				if name == "b" {
					problem := &source.Problem{Path: fmt.Sprintf("workflow.pools[%d].nothing", i), Reason: "b is bad"}
					return fmt.Errorf("build: %w", errors.Join(problem))
				}
			}
			return nil
		}, "left out: workflow.pools[2]: b is bad"},
		"a place that is not named is searched for": {func(scenario map[string]any) error {
			if strings.Contains(strings.Join(poolsIn(scenario), " "), "b") {
				return errors.New("there is something wrong")
			}
			return nil
		}, "left out: workflow.pools[2]: there is something wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			learned, err := mustChecker(t).Learn(t.Context(), pools(), refusing(test.wrong))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(learned.Notes, "\n"); got != test.note {
				t.Errorf("notes %q, want %q", got, test.note)
			}
			var scenario map[string]any
			if err := yaml.Unmarshal(learned.Scenario, &scenario); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(poolsIn(scenario), " "); got != "default a c" {
				t.Errorf("pools %s, want those that are not refused", got)
			}
		})
	}
	t.Run("what is refused whatever is left out is an error", func(t *testing.T) {
		t.Parallel()
		_, err := mustChecker(t).Learn(t.Context(), pools(), refusing(func(map[string]any) error { return context.Canceled }))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the builder", err)
		}
	})
}

// What is wrong with a data file is wrong with the place at which the scenario names it.
func TestLoadingWithoutAFile(t *testing.T) {
	t.Parallel()
	rows := make([]string, 25)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"time":1768469400,"n":%d}`, i)
	}
	recording := recordingOf(said{
		method: "GET", path: "/core/v3/table/tail/shop/orders?format=json", status: 200,
		answer: "[" + strings.Join(rows, ",") + "]",
	})
	var files []string
	learned, err := mustChecker(t).Learn(t.Context(), recording(), func(learned *contract.Learned) (contract.Subject, error) {
		subject, _ := refusing(func(map[string]any) error { return nil })(learned)
		if !strings.Contains(string(learned.Scenario), "shop.orders.ndjson") {
			return subject, nil
		}
		files = append(files, string(learned.Files["shop.orders.ndjson"]))
		return subject, &source.Problem{File: "/tmp/s/shop.orders.ndjson", Line: 3, Path: "n", Reason: "n is bad"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || !strings.Contains(files[0], `"n": 24}`) {
		t.Errorf("files %q, want one with all records, once", files)
	}
	if notes := strings.Join(learned.Notes, "\n"); notes != "left out: core.databases[0].tables[0].records.file: n is bad" {
		t.Errorf("notes %q, want the place that names the file", notes)
	}
	if len(learned.Files) > 0 {
		t.Errorf("the scenario has %d files, and names none", len(learned.Files))
	}
}

// listing returns a recording that lists many pools.
func listing(n int) func() contract.Source {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"%d","name":"p%[1]d","default":false,"concurrencyLimit":1}`, i+1))
	}
	return recordingOf(said{
		method: "GET", path: "/workflow/api/pools", status: 200, answer: `{"pools":[` + strings.Join(list, ",") + `]}`,
	})
}

// What is refused one item after the other does not make a server begin for each of them.
func TestLoadingIsBounded(t *testing.T) {
	t.Parallel()
	const n, most = 500, 41
	loads := 0
	learned, err := mustChecker(t).Learn(t.Context(), listing(n)(), refusing(func(scenario map[string]any) error {
		loads++
		if names := poolsIn(scenario); len(names) > 1 {
			return errors.Join(&source.Problem{Path: "workflow.pools[1]", Reason: "there is one pool at most"})
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if loads > most {
		t.Errorf("a server began %d times, want up to %d", loads, most)
	}
	if notes := len(learned.Notes); notes != n-1 {
		t.Errorf("%d notes, want one for each pool that was left out", notes)
	}
}

// A search that is interrupted while what is refused is taken out ends, with what is left.
func TestLoadingIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	loads := 0
	learned, err := mustChecker(t).Learn(ctx, listing(10)(), refusing(func(map[string]any) error {
		if loads++; loads == 3 {
			cancel()
		}
		return errors.Join(&source.Problem{Path: "workflow.pools[1]", Reason: "too many"})
	}))
	if !errors.Is(err, context.Canceled) || loads != 3 {
		t.Fatalf("%d loads, %v: want the third to be the last", loads, err)
	}
	var scenario map[string]any
	if err := yaml.Unmarshal(learned.Scenario, &scenario); err != nil || len(poolsIn(scenario)) != 8 {
		t.Errorf("pools %v, %v: want those that are left", poolsIn(scenario), err)
	}
	if notes := strings.Join(learned.Notes, "\n"); !strings.Contains(notes, "it may not load") {
		t.Errorf("notes %s", notes)
	}
}

// What is refused is refused once as it stands, and not in each scenario that is tried. In one of them, the group has
// a policy.
func TestRefusalsAreRemembered(t *testing.T) {
	t.Parallel()
	recording := recordingOf(
		said{method: "GET", path: "/core/v3/database/list", status: 403, answer: `{"error":"no"}`, key: "1/other"},
		said{method: "GET", path: "/core/v3/job/list", status: 200, answer: `{"jobs":[]}`, key: "1/other"},
		said{method: "GET", path: "/core/v3/access_control/policy_groups", status: 200, answer: `[
			{"id":"7","account_id":"1","name":"Store team","taggable_name":"store","policy_count":0}]`},
	)
	began, refused := 0, 0
	begin := asking(new([]string), nil)
	_, err := mustChecker(t).Learn(t.Context(), recording(), func(learned *contract.Learned) (contract.Subject, error) {
		if strings.Contains(string(learned.Scenario), "Store team") {
			refused++
			return contract.Subject{}, errors.Join(&source.Problem{Path: "account.policyGroups[0]", Reason: "one too many"})
		}
		began++
		return begin(learned)
	})
	if err != nil {
		t.Fatal(err)
	}
	if began != 4 || refused != 2 {
		t.Errorf("%d servers began, want 4, and a group was refused %d times, want 2", began, refused)
	}
}
