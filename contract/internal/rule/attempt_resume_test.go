package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestAttemptResume(t *testing.T) {
	t.Parallel()
	const (
		plain   = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z"} => `
		retry   = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r"} => `
		failed  = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r","resume":{"mode":"failed","attemptId":"9"}} => `
		from    = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r","resume":{"mode":"from","attemptId":"9","from":"+load"}} => `
		success = `GET /attempts/9 => 200 {attempt 9 50 1 - 7 success}` + "\n"
		err     = `GET /attempts/9 => 200 {attempt 9 50 1 - 7 error}` + "\n"
		tasks   = `GET /attempts/9/tasks => 200 {"tasks":[{task 1 +d success},{task 2 +d+load success},{task 3 +d+send error}]}` + "\n"
	)
	runRule(t, rule.AttemptResume, map[string]ruleCase{
		"the first attempt of a session": {plain + `200 {attempt 9 50 1 - 7 running}`, nil},
		"the same session again": {plain + "200 {attempt 9 50 1 - 7 running}\n" + plain +
			`409 {attempt 9 50 1 - 7 running}`, []string{"pass ×1"}},
		"the same session again is started anew": {
			plain + "200 {attempt 9 50 1 - 7 running}\n" + plain + `200 {attempt 10 50 2 - 7 running}`,
			[]string{"pass ×1", "fail 1 2"},
		},
		"the same attempt again with 200": {
			plain + "200 {attempt 9 50 1 - 7 running}\n" + plain + `200 {attempt 9 50 1 - 7 running}`,
			[]string{"fail 1 2"},
		},
		"the same session again, whose last attempt may have another name": {
			`GET /sessions => 200 {"sessions":[{"id":"50","lastAttempt":{"id":"9","status":"success","done":true}}]}` + "\n" +
				plain + `200 {attempt 10 50 2 - 7 running}`, nil,
		},
		"a new name": {plain + "200 {attempt 9 50 1 - 7 running}\n" + retry +
			`200 {attempt 10 50 2 r 7 running}`, []string{"pass ×2"}},
		"a new name without a new index": {plain + "200 {attempt 9 50 1 - 7 running}\n" + retry +
			`200 {attempt 10 50 1 r 7 running}`, []string{"pass ×1", "fail 1 2"}},
		"a conflict with another name":         {retry + `409 {attempt 9 50 1 - 7 running}`, []string{"fail 1"}},
		"an attempt that succeeded is refused": {success + failed + `400`, []string{"pass ×1"}},
		"an attempt that succeeded is resumed": {
			success + failed + `200 {attempt 10 50 2 r 7 running}`,
			[]string{"pass ×2", "fail 1 2"},
		},
		"an attempt that failed is resumed":    {err + failed + `200 {attempt 10 50 2 r 7 running}`, []string{"pass ×3"}},
		"an attempt that failed is refused":    {err + failed + `400`, []string{"inconclusive 1 2"}},
		"an attempt of which nothing is known": {failed + `200 {attempt 10 51 2 r 7 running}`, []string{"inconclusive 1"}},
		"from one task": {
			err + tasks + from + `200 {attempt 10 50 2 r 7 running}`,
			[]string{"pass ×3"},
		},
		"from a task, refused": {err + tasks + from + `400`, []string{"inconclusive 2 3"}},
		"from several tasks": {err +
			`GET /attempts/9/tasks => 200 {"tasks":[{task 1 +d+load success},{task 2 +e+load success}]}
			` + from + `200 {attempt 10 50 2 r 7 running}`, []string{"pass ×2", "fail 1 2 3"}},
		"from several tasks, refused": {err +
			`GET /attempts/9/tasks => 200 {"tasks":[{task 1 +d+load success},{task 2 +e+load success}]}
			` + from + `400`, []string{"pass ×1"}},
		"from no task": {err + `GET /attempts/9/tasks => 200 {"tasks":[]}` + "\n" + from +
			`200 {attempt 10 50 2 r 7 running}`, []string{"pass ×2", "fail 1 2 3"}},
		"from an unknown task": {from + `200 {attempt 10 51 2 r 7 running}`, []string{"inconclusive 1"}},
		"tasks are taken over": {err + tasks + failed + `200 {attempt 10 50 2 r 7 running}
			GET /attempts/10/tasks => 200 {"tasks":[{task 4 +d success},{task 5 +d+load success},{task 6 +d+send running}]}`, []string{"pass ×4"}},
		"tasks run again": {err + tasks + failed + `200 {attempt 10 50 2 r 7 running}
			GET /attempts/10/tasks => 200 {"tasks":[{task 4 +d success},{task 5 +d+load ready},{task 6 +d+send blocked}]}`, []string{"pass ×3", "fail 1 2 3 4"}},
		"the old tasks are not known": {err + failed + `200 {attempt 10 50 2 r 7 running}
			GET /attempts/10/tasks => 200 {"tasks":[{task 4 +d success}]}`, []string{"pass ×3", "inconclusive 2 3"}},
	})
}
