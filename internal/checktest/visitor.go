package checktest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// Visitor is a client that asks at random for what it knows of: whatever answers have shown so far.
type Visitor struct {
	*rand.Rand
	t       *testing.T
	handler http.Handler
	keys    []string
	known   map[string][]map[string]string // by resource, the path parameters that name one
	reads   []*specs.Operation
	n       int
}

// NewVisitor returns a visitor with some keys, which asks the same of a handler for each seed.
func NewVisitor(t *testing.T, seed uint64, h http.Handler, keys []string) *Visitor {
	t.Helper()
	v := &Visitor{
		Rand: rand.New(rand.NewPCG(seed, 1)), t: t, handler: h, keys: keys, known: map[string][]map[string]string{},
	}
	for _, iface := range specs.Interfaces() {
		d, err := specs.Load(iface, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range d.Operations {
			if op.Method == http.MethodGet {
				v.reads = append(v.reads, op)
			}
		}
	}
	return v
}

func (v *Visitor) chance(percent int) bool { return v.IntN(100) < percent }

func pickOne[T any](v *Visitor, list []T) T { return list[v.IntN(len(list))] }

// Act does one thing at random.
func (v *Visitor) Act() {
	v.n++
	switch {
	case v.chance(4):
		v.advance()
	case v.chance(40):
		w := pickOne(v, writes)
		if target, ok := v.fill(w.path); ok {
			body, _ := v.fill(w.body)
			v.send(w.method, target, body)
		}
	default:
		v.read(pickOne(v, v.reads))
	}
}

// advance moves the clock of the world.
func (v *Visitor) advance() {
	by := pickOne(v, []string{"1s", "5s", "30s", "10m", "3h"})
	r := httptest.NewRequestWithContext(v.t.Context(), http.MethodPost, "/_understudy/worlds/default/clock",
		strings.NewReader(`{"advance":"`+by+`"}`))
	r.Header.Set("Content-Type", "application/json")
	v.handler.ServeHTTP(httptest.NewRecorder(), r)
}

// read calls an operation that reads.
func (v *Visitor) read(op *specs.Operation) {
	values := map[string]string{}
	for _, a := range op.Actions() {
		if tuples := v.known[a.Resource.Name]; len(tuples) > 0 && len(a.Path) > 0 {
			maps.Copy(values, pickOne(v, tuples))
		}
		if parent := a.Resource.Parent(); parent != "" && len(a.Within) > 0 && len(v.known[parent]) > 0 && len(a.Path) == 0 {
			maps.Copy(values, pickOne(v, v.known[parent]))
		}
	}
	for _, p := range op.Parameters {
		if p.Value.In != "path" || values[p.Value.Name] != "" || p.Value.Schema == nil {
			continue
		}
		kind, _ := p.Value.Schema.Value.Extensions["x-id-of"].(string)
		if kind != "" && !strings.Contains(kind, ".") {
			kind = string(op.Interface) + "." + kind
		}
		if tuples := v.known[kind]; len(tuples) > 0 {
			for _, value := range pickOne(v, tuples) {
				values[p.Value.Name] = value
			}
		}
	}
	path := op.Path
	for strings.Contains(path, "{") {
		_, rest, _ := strings.Cut(path, "{")
		name, _, _ := strings.Cut(rest, "}")
		if values[name] == "" {
			return // it knows none
		}
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(values[name]))
	}
	v.send(op.Method, "/"+string(op.Interface)+op.Document.BasePath+path, "")
}

// fill puts something that is known in the place of {resource.parameter}, and a number that grows in that of {n}.
func (v *Visitor) fill(text string) (string, bool) {
	chosen := map[string]map[string]string{}
	for {
		before, rest, found := strings.Cut(text, "{{")
		if !found {
			return text, true
		}
		name, after, _ := strings.Cut(rest, "}}")
		value := strconv.Itoa(v.n)
		if kind, parameter, isKnown := strings.Cut(name, ":"); isKnown {
			if len(v.known[kind]) == 0 {
				return "", false
			}
			if chosen[kind] == nil {
				chosen[kind] = pickOne(v, v.known[kind])
			}
			value = chosen[kind][parameter]
		} else if name == "d" {
			value = strconv.Itoa(1 + v.IntN(5))
		}
		text = before + value + after
	}
}

func (v *Visitor) send(method, target, body string) {
	r := httptest.NewRequestWithContext(v.t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	key := v.keys[0]
	if v.chance(10) {
		key = pickOne(v, v.keys)
	}
	r.Header.Set("Authorization", "SVC1 "+key)
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	v.learn(r, w)
}

// learn remembers what an answer shows.
func (v *Visitor) learn(r *http.Request, w *httptest.ResponseRecorder) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	d, err := specs.Load(specs.Interface(name), specs.Neutral)
	if err != nil || w.Code/100 != 2 || !json.Valid(w.Body.Bytes()) {
		return
	}
	m := d.Find(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/"+name+d.BasePath))
	if m.Operation == nil {
		return
	}
	body := jsontree.Parse(w.Body.Bytes())
	for _, a := range m.Operation.Actions() {
		for _, at := range a.At {
			for _, object := range objectsAt(body, at) {
				resource := a.Resource
				if len(resource.Types) > 0 {
					if resource = d.ResourceOfType(object.Find("type").Text()); resource == nil {
						continue
					}
				}
				key := object.Find(strings.Join(resource.Keys[0], ".")).Text()
				if key == "" || len(resource.Path) == 0 {
					continue
				}
				tuple := map[string]string{resource.Path[len(resource.Path)-1]: key}
				for _, parameter := range resource.Path[:len(resource.Path)-1] {
					tuple[parameter] = m.Param(parameter)
				}
				isSame := func(o map[string]string) bool { return fmt.Sprint(o) == fmt.Sprint(tuple) }
				if !slices.ContainsFunc(v.known[resource.Name], isSame) {
					v.known[resource.Name] = append(v.known[resource.Name], tuple)
				}
			}
		}
	}
}

func objectsAt(value jsontree.Value, at specs.Pointer) []jsontree.Value {
	for i, token := range at {
		if token == "*" {
			var list []jsontree.Value
			for item := range value.List {
				list = append(list, objectsAt(item, at[i+1:])...)
			}
			return list
		}
		value = value.Find(token)
	}
	if !value.Exists() {
		return nil
	}
	return []jsontree.Value{value}
}

// writes are the requests of a visitor that change something.
var writes = []struct{ method, path, body string }{
	{"POST", "/workflow/api/pools", `{"name":"pool{{n}}","concurrencyLimit":{{d}}}`},
	{"PATCH", "/workflow/api/pools/{{workflow.pool:poolId}}", `{"concurrencyLimit":{{d}}}`},
	{"DELETE", "/workflow/api/pools/{{workflow.pool:poolId}}", ""},
	{"POST", "/workflow/api/pool_rules", `{"priority":{{n}},"poolId":"{{workflow.pool:poolId}}","conditions":[
		{"type":"workflow_name","operator":"starts_with","values":["nightly_"]}]}`},
	{"PATCH", "/workflow/api/pool_rules/{{workflow.pool-rule:poolRuleId}}", `{"priority":{{n}}}`},
	{"DELETE", "/workflow/api/pool_rules/{{workflow.pool-rule:poolRuleId}}", ""},
	{"PUT", "/workflow/api/attempts", `{"workflowId":"{{workflow.workflow:id}}","sessionTime":"2026-01-0{{d}}T00:00:00Z",
		"params":{}}`},
	{"PUT", "/workflow/api/attempts", `{"workflowId":"{{workflow.workflow:id}}","sessionTime":"2026-01-0{{d}}T00:00:00Z",
		"retryAttemptName":"again{{n}}","params":{"n":{{n}}}}`},
	{"POST", "/workflow/api/attempts/{{workflow.attempt:id}}/kill", ""},
	{"DELETE", "/workflow/api/projects/{{workflow.project:id}}", ""},
	{"PUT", "/workflow/api/projects/{{workflow.project:id}}/secrets/key{{d}}", `{"value":"hidden"}`},
	{"POST", "/workflow/api/schedules/{{workflow.schedule:id}}/disable", ""},
	{"POST", "/workflow/api/schedules/{{workflow.schedule:id}}/enable", ""},
	{"POST", "/core/v3/database/create/data{{n}}", ""},
	{"POST", "/core/v3/database/delete/{{core.database:database_name}}", ""},
	{"POST", "/core/v3/table/create/{{core.database:database_name}}/table{{n}}", ""},
	{"POST", "/core/v3/table/delete/{{core.table:database_name}}/{{core.table:table_name}}", ""},
	{"POST", "/core/v3/table/rename/{{core.table:database_name}}/{{core.table:table_name}}/renamed{{n}}", ""},
	{"POST", "/core/v3/table/update/{{core.table:database_name}}/{{core.table:table_name}}", `{"expire_days":{{d}}}`},
	{
		"POST", "/core/v3/table/update-schema/{{core.table:database_name}}/{{core.table:table_name}}",
		`{"schema":"[[\"a{{d}}\",\"string\"]]"}`,
	},
	{"POST", "/ingestion/postback/v3/event/{{core.table:database_name}}/{{core.table:table_name}}", `{"n":"{{n}}"}`},
	{"POST", "/core/v3/job/issue/trino/{{core.database:database_name}}", `{"query":"select {{n}} as n"}`},
	{
		"POST", "/core/v3/job/issue/trino/{{core.table:database_name}}",
		`{"query":"select count(1) as n from {{core.table:table_name}}"}`,
	},
	{"GET", "/core/v3/job/result/{{core.job:job_id}}?format=json", ""},
	{"POST", "/core/v3/job/kill/{{core.job:job_id}}", ""},
	{"POST", "/core/v3/result/create/sink{{n}}", `{"url":"s3://user:secret@bucket/{{n}}"}`},
	{"POST", "/core/v3/result/delete/{{core.connection:connection_name}}", ""},
	{
		"POST", "/core/v3/schedule/create/sched{{n}}",
		`{"cron":"0 3 * * *","query":"select 1","type":"trino",` +
			`"database":"{{core.database:database_name}}"}`,
	},
	{"POST", "/core/v3/schedule/delete/{{core.schedule:schedule_name}}", ""},
	{"POST", "/core/v3/access_control/policies", `{"policy":{"name":"policy{{n}}","description":"made"}}`},
	{"PATCH", "/core/v3/access_control/policies/{{core.policy:policy_id}}", `{"policy":{"description":"changed {{n}}"}}`},
	{"DELETE", "/core/v3/access_control/policies/{{core.policy:policy_id}}", ""},
	{"POST", "/core/v3/access_control/policy_groups", `{"name":"group {{n}}"}`},
	{"POST", "/llm/api/projects", `{"data":{"type":"projects","attributes":{"name":"project {{n}}"}}}`},
	{
		"PATCH", "/llm/api/projects/{{llm.project:id}}",
		`{"data":{"type":"projects","id":"{{llm.project:id}}","attributes":{"description":"changed {{n}}"}}}`,
	},
	{"DELETE", "/llm/api/projects/{{llm.project:id}}", ""},
	{
		"POST", "/llm/api/agents",
		`{"data":{"type":"agents","attributes":{"projectId":"{{llm.project:id}}","name":"agent {{n}}",
		"systemPrompt":"Help.","modelType":"gpt-5","maxToolIterations":{{d}},"temperature":0.5,"reasoningEffort":"NONE"}}}`,
	},
	{"DELETE", "/llm/api/agents/{{llm.agent:id}}", ""},
	{"POST", "/llm/api/chats", `{"data":{"type":"chats","attributes":{"agentId":"{{llm.agent:id}}"}}}`},
	{"POST", "/llm/api/chats/{{llm.chat:id}}/continue", `{"input":"question {{n}}"}`},
	{"POST", "/audience/audiences/61/segments", `{"name":"segment {{n}}"}`},
	{"DELETE", "/dwh/v1/dwh/{{dwh.integration:dwh_id}}", ""},
}
