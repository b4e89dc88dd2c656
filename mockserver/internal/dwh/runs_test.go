package dwh_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/dig"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	t.Run("each call starts an attempt of the workflow interface, with a task for each table", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		run := c.Put(path+"/run_workflow", "").Want(200).Wants(
			"id", "1", "index", "1", "project.name", "dwh_orders_from_warehouse", "workflow.name", "orders_from_warehouse",
			"sessionId", "1", "sessionTime", "2026-01-15T09:30:00+00:00", "retryAttemptName", "", "status", "running",
			"done", "false", "createdAt", "2026-01-15T09:30:00Z", "finishedAt", "",
		)
		c.At("workflow").Get("/api/attempts/1").Want(200).Wants("sessionUuid", run.Value("sessionUuid").Text())
		c.At("workflow").Get("/api/attempts/1/tasks").Want(200).Wants("tasks.#.fullName",
			`["+orders_from_warehouse","+orders_from_warehouse+orders","+orders_from_warehouse+customers"]`)
		c.Put(path+"/run_workflow", "").Want(200).Wants("id", "2", "index", "2", "sessionId", "1",
			"retryAttemptName", "retry-1")
		c.Put(path+"/run_workflow", "").Want(200).Wants("retryAttemptName", "retry-2")
	})
	t.Run("they are listed newest first, page by page, whoever has started them", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Advance(time.Second) // so that nothing is due at once
		path := c.create(`"name"`, `"schedule_type": "minutes_interval", "schedule_option": "15",
			"timezone": "Asia/Tokyo", "name"`)
		other := c.create()
		c.Put(other+"/run_workflow", "").Want(200)
		c.Get(path+"/session_attempts").Want(200).Wants("items.#", "0", "pagination.total_pages", "0")
		c.Put(path+"/run_workflow", "").Want(200)
		c.At("workflow").Put("/api/attempts", `{"projectName": "dwh_orders_from_warehouse", "workflowName":
			"orders_from_warehouse", "sessionTime": "2026-01-14T00:00:00Z", "retryAttemptName": "mine", "params": {}}`).Want(200)
		c.Advance(15 * time.Minute)
		c.Get(path+"/session_attempts").Want(200).Wants(
			"items.#.attempt_id", "[4,3,2]", "items.#.attempt_name", `["","mine",""]`,
			"items.#.status", `["running","success","success"]`,
			"items.#.session_time", `["2026-01-15T18:45:00+09:00","2026-01-14T09:00:00+09:00",`+
				`"2026-01-15T18:30:01+09:00"]`,
			"items.#.session_id", "[4,3,2]", "pagination.total_pages", "1",
		)
		c.Get(path+"/session_attempts?size=2&page=2").Want(200).
			Wants("items.#.attempt_id", "[2]", "pagination.total_pages", "2")
		c.Get(path+"/session_attempts?page=0").Refused(400, "page")
	})
	t.Run("an attempt waits when its pool is full", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("workflow").Post("/api/pools", `{"name": "loads", "concurrencyLimit": 1}`).Want(201)
		c.At("workflow").Post("/api/pool_rules", `{"priority": 1, "poolId": "2", "conditions": [
			{"type": "project_name", "operator": "starts_with", "values": ["dwh_"]}]}`).Want(201)
		path := c.create()
		c.Put(path+"/run_workflow", "").Want(200).Wants("status", "running")
		c.Put(path+"/run_workflow", "").Want(200).Wants("status", "queued")
		c.Advance(10 * time.Second)
		c.Get(path+"/session_attempts").Wants("items.#.status", `["running","success"]`)
	})
	t.Run("nothing is loaded, and the journal says so", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		c.Put(path+"/run_workflow", "").Want(200)
		c.Advance(time.Minute)
		c.At("core").Get("/table/show/sales/orders").Wants("count", "0")
		journal, err := c.World().Journal("dwh.runDwhWorkflow")
		if err != nil || len(journal) != 1 || !strings.Contains(strings.Join(journal[0].Notes, " "), "load nothing") {
			t.Errorf("the journal has %+v, %v", journal, err)
		}
	})
	t.Run("an auto clock brings a client that asks again and again to the end", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithClock("auto"))
		path := c.create()
		c.Put(path+"/run_workflow", "").Want(200).Wants("status", "running")
		c.Get(path+"/session_attempts").Want(200).Wants("items.#.status", `["success"]`)
		c.Get("/v1/dwh/9/session_attempts").Refused(404, "integration with id 9 not found")
	})
	t.Run("a project that was deleted by hand cannot run, but its integration can be deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		c.Put(path+"/run_workflow", "").Want(200)
		c.At("workflow").Delete(c.project(path)).Want(200)
		c.Put(path+"/run_workflow", "").Refused(400, "dwh_orders_from_warehouse", "was deleted", "create it again")
		c.Put(path, `{"name": "n"}`).Refused(400, "was deleted")
		c.Get(path).Want(200).Wants("workflow_project_name", "dwh_orders_from_warehouse")
		c.Get(path+"/session_attempts").Want(200).Wants("items.#", "1")
		c.Get(c.create()).Wants("workflow_project_name", "dwh_orders_from_warehouse")
		c.Delete(path).Want(200)
		c.Get("/v1/dwh/").Wants("items.#.id", "[2]")
		c.At("workflow").Get(c.project("/v1/dwh/2")).Want(200)
	})
	t.Run("a project without its workflow cannot run until an update brings it back", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		path := c.create()
		archive, err := dig.WriteArchive(map[string]string{"other.dig": "+a: {echo>: a}\n"})
		if err != nil {
			t.Fatal(err)
		}
		c.At("workflow").Call("PUT", "/api/projects?project=dwh_orders_from_warehouse&revision=mine", string(archive),
			"Content-Type", "application/gzip").Want(200)
		c.Put(path+"/run_workflow", "").Refused(400, "cannot run", "workflow with name orders_from_warehouse not found")
		c.Put(path, `{"name": "n"}`).Want(200)
		c.Put(path+"/run_workflow", "").Want(200)
	})
}
