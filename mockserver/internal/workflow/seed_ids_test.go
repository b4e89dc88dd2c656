package workflow_test

import "testing"

func TestSeededIDs(t *testing.T) {
	t.Parallel()
	const before = `
workflow:
  pools: [{id: 71, name: nightly, concurrencyLimit: 5}]
  projects:
  - {id: 41, name: shop, deletedAt: now-1d, revisions: [{name: v1, createdAt: now-9d, files: {w.dig: "+a: {echo>: a}\n"}}]}
  - id: 42
    name: shop
    revisions:
    - {name: v1, createdAt: now-8d, workflowIds: {w: 501}, files: {w.dig: "+a: {echo>: a}\n+b: {echo>: b}\n", x.dig: "+c: {echo>: c}\n"}}
  attempts:
`
	t.Run("an attempt goes on with the tasks that the fixture has ids of", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(before + `
  - id: 900
    index: 3
    sessionId: 300
    project: shop
    workflow: w
    sessionTime: 2026-01-15T00:00:00Z
    status: running
    takes: 10s
    tasks: [{id: 7001, name: +w}, {id: 7005, name: +w+a, startedAt: now-1h}]
`)
		tasks := c.tasks("900")
		wantEqual(t, "ids", []string{tasks[0].ID, tasks[1].ID, tasks[2].ID}, []string{"7001", "7005", "7008"})
		c.Advance(11e9)
		wantEqual(t, "status", c.attempt("900").Status, "success")
		next := c.start("shop", "w", map[string]any{"retryAttemptName": "again"})
		wantEqual(t, "the next attempt of the session", []any{next.ID, next.Index}, []any{"901", 4})
		wantEqual(t, "its tasks", c.tasks("901")[0].ID, "7009")
	})
	t.Run("attempts of a deleted project that has lent its name", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(before + `
  - {id: 900, project: "41", workflow: w, sessionTime: 2026-01-08T00:00:00Z, createdAt: now-7d, finishedAt: now-6d, status: killed}
  - {id: 901, project: shop, workflow: w, sessionTime: 2026-01-08T00:00:00Z, createdAt: now-7d, finishedAt: now-6d, status: success}
`)
		for id, project := range map[string]string{"900": "41", "901": "42"} {
			a := c.get("/api/attempts/" + id)
			wantEqual(t, "project", a["project"].(map[string]any)["id"], any(project))
			wantEqual(t, "finishedAt", a["finishedAt"], any("2026-01-09T09:30:00Z"))
		}
	})
	t.Run("a workflow without an id gets the next one", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(before + "  - {project: shop, workflow: x, sessionTime: now, status: success, createdAt: now-1h}\n")
		wantEqual(t, "workflow", c.get("/api/workflows/503")["name"], any("x"))
	})
}
