package mockserver

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// removedToken is the id of the token that the story of revocations removes.
const removedToken = 52

// on changes the world that a handler sees.
func on(change func(*world.State)) func(*op.Call) error {
	return func(c *op.Call) error {
		change(c.World)
		return nil
	}
}

// change changes all rows of a table.
func change[R any](rows *table.Table[R], change func(*R)) {
	for id, row := range table.All(rows) {
		change(&row)
		rows.Put(id, row)
	}
}

// restore puts back those rows of a table that fit, as they were.
func restore[R any](rows, before *table.Table[R], fits func(R) bool) {
	for id, row := range table.All(before) {
		if fits(row) {
			rows.Put(id, row)
		}
	}
}

func nothingDone(after, before *world.State) { *after = *before }

func restoreAttempts(after, before *world.State) {
	restore(&after.Workflow.Attempts, &before.Workflow.Attempts, func(world.Attempt) bool { return true })
	restore(&after.Workflow.Tasks, &before.Workflow.Tasks, func([]world.Task) bool { return true })
}

// forgetDefaultPool makes the default pool one like the others.
func forgetDefaultPool(w *world.State) {
	change(&w.Workflow.Pools, func(p *world.Pool) { p.Default = false })
}

func forAnyone(r *op.Route) { r.For = op.Anyone }

func readAnyScheme(c *op.Call) error {
	_, key, _ := strings.Cut(c.Header("Authorization"), " ")
	c.Caller, _ = c.World.Account.Caller(key)
	return nil
}

func asAdministrator(c *op.Call) error {
	c.Caller.User.Role = world.Administrator
	return nil
}

// resumeFromTheFirst makes the end of a task's name the whole name of the first task that has it.
func resumeFromTheFirst(c *op.Call) error {
	id, from := jsontree.Find(c.Body, "resume.attemptId").Int(), jsontree.Find(c.Body, "resume.from").Text()
	tasks, _ := c.World.Workflow.Tasks.Get(id)
	for _, task := range tasks {
		if from != "" && strings.HasSuffix(task.Name, from) {
			c.Body = []byte(jsontree.Parse(c.Body).With(strconv.Quote(task.Name), "resume", "from"))
			break
		}
	}
	return nil
}

// makeTargets makes the tables that an integration names.
func makeTargets(c *op.Call) error {
	database, _ := c.World.Core.DatabaseNames.Get(jsontree.Find(c.Body, "output_config.database").Text())
	for entry := range jsontree.Find(c.Body, "advanced_configs").List {
		t := world.Table{
			ID: c.World.NewID("core.table"), Database: database, Name: entry.Find("target_table").Text(),
			CreatedAt: c.Now,
		}
		c.World.Core.Tables.Put(t.ID, t)
		c.World.Core.TableNames.Put(world.TableName{Database: database, Name: t.Name}, t.ID)
	}
	return nil
}

// linkToNext adds a link to a next page.
func linkToNext(c *op.Call, reply *op.Reply) error {
	body, err := json.Marshal(reply.Body)
	if err != nil {
		return err
	}
	page := jsontree.Parse(body)
	link := c.Base + c.Operation.Path + "?page[offset]=" + page.Get("meta", "total").Text()
	reply.Body = jsontext.Value(page.With(strconv.Quote(link), "links", "next"))
	return nil
}
