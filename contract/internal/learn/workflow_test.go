package learn_test

import (
	"fmt"
	"strings"
	"testing"
)

// ran returns an attempt of a workflow that began and ended at a time.
func ran(id int, workflow, created, more string) string {
	return fmt.Sprintf(`{"id":"%d","project":{"id":"1","name":"shop"},"workflow":{"name":%q,"id":"5"},`+
		`"sessionId":"%[1]d",`+
		`"sessionUuid":"354dbe1a-84c2-4207-812c-5a424ee4d2%02[1]d","sessionTime":%[3]q,"createdAt":%[3]q,"finishedAt":%[3]q,`+
		`"params":{},"retryAttemptName":null,"cancelRequested":false,"done":true,"success":true,"status":"success"%[4]s}`,
		id, workflow, created, more)
}

func attempts(at string, list ...string) said {
	return said{
		at: at, method: "GET", path: "/workflow/api/attempts", status: 200,
		answer: `{"attempts":[` + strings.Join(list, ",") + `]}`,
	}
}

func TestWorkflowSchedules(t *testing.T) {
	t.Parallel()
	schedule := func(at, session, run, disabled string) said {
		return said{
			at: at, method: "GET", path: "/workflow/api/schedules", status: 200,
			answer: `{"schedules":[{"id":"3","project":{"id":"1","name":"shop"},"workflow":{"id":"5","name":"close"},` +
				`"nextRunTime":"` + run + `","nextScheduleTime":"` + session + `","disabledAt":` + disabled + `}]}`,
		}
	}
	for name, test := range map[string]struct {
		recording []said
		want      string
	}{
		"run each day, if the next run is tomorrow": {
			[]said{schedule("", "2026-01-16T00:00:00+01:00", "2026-01-16T05:00:00Z", "null")}, "daily>: 06:00:00",
		},
		"run each week, if the next run is days away": {
			[]said{schedule("", "2026-01-19T00:00:00+01:00", "2026-01-19T05:00:00Z", "null")}, "weekly>: Mon,06:00:00",
		},
		"run each month, if the next run is weeks away": {
			[]said{schedule("", "2026-02-01T00:00:00+01:00", "2026-02-01T05:00:00Z", "null")}, "monthly>: 1,06:00:00",
		},
		"keep the next run of the time at which they were disabled": {
			[]said{schedule("", "2026-01-02T00:00:00+01:00", "2026-01-02T05:00:00Z", `"2026-01-01T09:30:00Z"`)},
			"daily>: 06:00:00",
		},
		"run each hour, if next runs are some hours apart": {
			[]said{
				schedule("", "2026-01-15T10:05:00+00:00", "2026-01-15T10:05:00Z", "null"),
				schedule("12:30:00", "2026-01-15T13:05:00+00:00", "2026-01-15T13:05:00Z", "null"),
			}, "cron>: 5 * * * *",
		},
		"run each hour, if attempts that no request started do": {
			[]said{
				attempts("", ran(7, "close", "2026-01-13T10:05:00Z", "")),
				attempts("11:30:00", ran(9, "close", "2026-01-15T11:05:00Z", ""), ran(8, "close", "2026-01-15T10:05:00Z", "")),
			}, "cron>: 5 * * * *",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wants(t, learned(t, test.recording...), test.want)
		})
	}
}

func TestPoolRules(t *testing.T) {
	t.Parallel()
	const rule = "conditions:\n    - {type: workflow_name, operator: starts_with, values: [sync]}\n" +
		"    - {type: invocation_type, values: [scheduled]}"
	pools := said{
		method: "GET", path: "/workflow/api/pools", status: 200,
		answer: `{"pools":[{"id":"1","name":"default","default":true,"concurrencyLimit":10},` +
			`{"id":"2","name":"etl","default":false,"concurrencyLimit":4}]}`,
	}
	late := attempts("11:30:00", ran(9, "sync", "2026-01-15T11:05:00Z", `,"poolId":"2"`))
	t.Run("are guessed of the attempts that start", func(t *testing.T) {
		t.Parallel()
		wants(t, learned(t, pools, late), "pool: etl", rule)
	})
	for name, recording := range map[string][]said{
		"are not guessed if an answer lists them": {pools, late, {
			method: "GET", path: "/workflow/api/pool_rules", status: 200, answer: `{"poolRules":[]}`,
		}},
		"are not guessed of the default pool": {
			pools, attempts("11:30:00", ran(9, "sync", "2026-01-15T11:05:00Z", `,"poolId":"1"`)),
		},
		"are not guessed of attempts that had ended": {
			pools, attempts("", ran(9, "sync", "2026-01-14T11:05:00Z", `,"poolId":"2"`)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s := learned(t, recording...); strings.Contains(string(s.Scenario), "poolRules") {
				t.Errorf("the scenario has a pool rule:\n%s", s.Scenario)
			}
		})
	}
}

// No answer shows the pools here, but a rule names one of the two that attempts ran in.
func TestDefaultPool(t *testing.T) {
	t.Parallel()
	rules := said{
		method: "GET", path: "/workflow/api/pool_rules", status: 200,
		answer: `{"poolRules":[{"id":"1","priority":10,"poolId":"3","conditions":[` +
			`{"type":"workflow_name","operator":"starts_with","values":["adhoc_"]}]}]}`,
	}
	s := learned(t, rules, attempts("",
		ran(9, "sync", "2026-01-14T11:05:00Z", `,"poolId":"1"`),
		ran(8, "adhoc_sync", "2026-01-14T10:05:00Z", `,"poolId":"3"`),
	))
	wants(t, s, "- id: 1\n    name: default", "- id: 3\n    name: pool-3")
}

// A session shows its last attempt without the index, which only the attempt itself has.
func TestAttemptIndex(t *testing.T) {
	t.Parallel()
	session := said{
		method: "GET", path: "/workflow/api/sessions", status: 200,
		answer: `{"sessions":[{"id":"2","project":{"id":"1","name":"shop"},"workflow":{"name":"sync","id":"5"},` +
			`"sessionUuid":"354dbe1a-84c2-4207-812c-5a424ee4d202","sessionTime":"2026-01-14T11:05:00Z","lastAttempt":` +
			ran(2, "sync", "2026-01-14T11:05:00Z", "") + `}]}`,
	}
	wants(t, learned(t, session, attempts("", ran(2, "sync", "2026-01-14T11:05:00Z", `,"index":2`))), "index: 2")
}
