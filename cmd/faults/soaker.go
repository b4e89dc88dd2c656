package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// soaker is a client that does all kinds of things in all worlds. Others do so in the same worlds, so that it takes any
// answer but 5xx.
type soaker struct {
	*mock
	random *rand.Rand
	agent  string
	worlds int
	done   *atomic.Int64
	pause  *sync.RWMutex // locked while the heap is looked at
}

func (c *soaker) soak(ctx context.Context) error {
	acts := []func(context.Context, string) error{
		c.events, c.events, c.events, c.queries, c.pools, c.pools, c.chats, c.checkpoints, c.states, c.clocks, c.forks,
		c.recreate, c.recreate, c.reset,
	}
	for ctx.Err() == nil {
		c.pause.RLock()
		err := acts[c.random.IntN(len(acts))](ctx, c.world())
		c.pause.RUnlock()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (c *soaker) world() string { return fmt.Sprint("s", c.random.IntN(c.worlds)) }

// ask sends a request, which must not be answered with 5xx.
func (c *soaker) ask(ctx context.Context, method, path, body string) (answer, error) {
	a, err := c.call(ctx, method, path, body)
	c.done.Add(1)
	if err == nil && a.status >= 500 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, a.status, a.body)
	}
	return a, err
}

// sendAll sends requests one after another.
func (c *soaker) sendAll(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		if _, err := c.ask(ctx, s.method, s.path, s.body); err != nil {
			return err
		}
	}
	return nil
}

func worldPath(world, path string) string { return "/_worlds/" + world + path }

func (c *soaker) events(ctx context.Context, world string) error {
	event := fmt.Sprintf(`{"user":%d,"text":%q}`, c.random.IntN(100), strings.Repeat("x", c.random.IntN(2000)))
	return c.sendAll(ctx, step{method: http.MethodPost, path: worldPath(world, "/core/v3/database/create/soak")},
		step{method: http.MethodPost, path: worldPath(world, "/core/v3/table/create/soak/events")},
		step{method: http.MethodPost, path: worldPath(world, "/ingestion/postback/v3/event/soak/events"), body: event},
		step{method: http.MethodGet, path: worldPath(world, "/core/v3/table/list/soak")})
}

func (c *soaker) queries(ctx context.Context, world string) error {
	query := fmt.Sprintf(`{"query":"SELECT %d AS n, count(*) AS c FROM events"}`, c.random.IntN(1000))
	issued, err := c.ask(ctx, http.MethodPost, worldPath(world, "/core/v3/job/issue/trino/soak"), query)
	if err != nil || issued.status != http.StatusOK {
		return err
	}
	job := issued.get("job_id").String()
	return c.sendAll(ctx, step{method: http.MethodGet, path: worldPath(world, "/core/v3/job/status/"+job)},
		step{method: http.MethodGet, path: worldPath(world, "/core/v3/job/result/"+job+"?format=json")})
}

func (c *soaker) pools(ctx context.Context, world string) error {
	made, err := c.ask(ctx, http.MethodPost, worldPath(world, "/workflow/api/pools"),
		fmt.Sprintf(`{"name":"pool %d","concurrencyLimit":1}`, c.random.IntN(50)))
	if err != nil {
		return err
	}
	return c.sendAll(ctx, step{method: http.MethodGet, path: worldPath(world, "/workflow/api/pools")},
		step{method: http.MethodDelete, path: worldPath(world, "/workflow/api/pools/"+made.get("id").String())})
}

// chats reads an answer of events to its end, or leaves in the middle of it.
func (c *soaker) chats(ctx context.Context, world string) error {
	made, err := c.ask(ctx, http.MethodPost, worldPath(world, "/llm/api/chats"),
		fmt.Sprintf(`{"data":{"type":"chats","attributes":{"agentId":%q}}}`, c.agent))
	if err != nil || made.status != http.StatusCreated {
		return err
	}
	path := worldPath(world, "/llm/api/chats/"+made.get("data.id").String()+"/continue")
	if c.random.IntN(4) > 0 {
		return c.sendAll(ctx, step{method: http.MethodPost, path: path, body: `{"input":"Hello!"}`})
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(`{"input":"Good bye!"}`))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", authority)
	r.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	_, _ = response.Body.Read(make([]byte, 10))
	return response.Body.Close()
}

func (c *soaker) checkpoints(ctx context.Context, world string) error {
	path := fmt.Sprintf("%s/worlds/%s/checkpoints/c%d", control, world, c.random.IntN(3))
	return c.sendAll(ctx, step{method: http.MethodPut, path: path}, step{method: http.MethodPost, path: path + "/restore"})
}

// states loads the state of a world into another.
func (c *soaker) states(ctx context.Context, world string) error {
	dumped, err := c.ask(ctx, http.MethodGet, control+"/worlds/"+world+"/state", "")
	if err != nil || dumped.status != http.StatusOK {
		return err
	}
	return c.sendAll(ctx,
		step{method: http.MethodPut, path: control + "/worlds/" + c.world() + "/state", body: dumped.body})
}

func (c *soaker) clocks(ctx context.Context, world string) error {
	advance := fmt.Sprintf(`{"advance":"%dm"}`, c.random.IntN(24*60))
	return c.sendAll(ctx, step{method: http.MethodPost, path: control + "/worlds/" + world + "/clock", body: advance},
		step{method: http.MethodGet, path: worldPath(world, "/workflow/api/attempts")})
}

// forks replaces a world by a fork of another.
func (c *soaker) forks(ctx context.Context, world string) error {
	other := c.world()
	return c.sendAll(ctx, step{method: http.MethodDelete, path: control + "/worlds/" + other},
		step{method: http.MethodPost, path: control + "/worlds", body: fmt.Sprintf(`{"id":%q,"fork":%q}`, other, world)})
}

func (c *soaker) recreate(ctx context.Context, world string) error {
	body := fmt.Sprintf(`{"id":%q,"seed":%d,"mintKeys":true}`, world, c.random.Uint32())
	return c.sendAll(ctx, step{method: http.MethodDelete, path: control + "/worlds/" + world},
		step{method: http.MethodPost, path: control + "/worlds", body: body})
}

func (c *soaker) reset(ctx context.Context, world string) error {
	return c.sendAll(ctx, step{method: http.MethodPost, path: control + "/worlds/" + world + "/reset"})
}
