package llm_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver/internal/across"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/llm"
	"svc.example/understudy/mockserver/internal/mocktest"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// bare applies rules to a world without a server, so that some of them can be switched off.
type bare struct {
	*testing.T
	world world.World
	doc   *specs.Document
	table map[string]*op.Route
	skip  op.Skips
}

func newBare(t *testing.T, skip op.Skips) *bare {
	t.Helper()
	doc, err := specs.Load("llm", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	iface := llm.Interface(across.Engine{})
	table, err := iface.Table(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &bare{T: t, world: world.World{Clock: clock.New(clock.Frozen, mocktest.Now)}, doc: doc, table: table, skip: skip}
}

// call gives the status and the answer's JSON.
func (b *bare) call(method, path, body string) (int, gjson.Result) {
	b.Helper()
	u, err := url.Parse(path)
	if err != nil {
		b.Fatal(err)
	}
	match, tx := b.doc.Find(method, u.Path), b.world
	reply, err := b.table[match.Operation.ID].Rule(&op.Call{
		World: &tx, Operation: match.Operation, Match: &match, Query: u.Query(), Body: []byte(body), Now: tx.Now(), Skip: b.skip,
	})
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		return llm.Interface(across.Engine{}).Error(match.Operation, op.Errors{refusal}).Status, gjson.Result{}
	}
	text, marshalErr := json.Marshal(reply.Body)
	if err != nil || marshalErr != nil {
		b.Fatal(err, marshalErr)
	}
	b.world = tx
	return max(reply.Status, http.StatusOK), gjson.ParseBytes(text)
}

func (b *bare) make(kind, attributes string) string {
	b.Helper()
	status, answer := b.call(http.MethodPost, "/api/"+kind, `{"data":{"type":"`+kind+`","attributes":`+attributes+`}}`)
	if status != http.StatusCreated {
		b.Fatalf("%d %s", status, answer)
	}
	return answer.Get("data.id").String()
}

// Every rule that can be switched off is on otherwise, and a client sees the difference.
func TestSkips(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		see           func(*bare) string
		with, without string
	}{
		llm.SkipDeletion: {func(b *bare) string {
			text := b.make("text_resources", `{"name":"T","text":"x"}`)
			b.call(http.MethodDelete, "/api/text_resources/"+text, "")
			status, _ := b.call(http.MethodGet, "/api/text_resources/"+text, "")
			return fmt.Sprint(status)
		}, "404", "200"},
		llm.SkipLinks: {func(b *bare) string {
			_, page := b.call(http.MethodGet, "/api/text_resources", "")
			return fmt.Sprint(page.Get("links.next").Exists())
		}, "false", "true"},
		llm.SkipProjectTakes: {func(b *bare) string {
			project := b.make("projects", `{"name":"Store"}`)
			agent := b.make("agents", `{"name":"A","projectId":"`+project+`","modelType":"gpt-5"}`)
			b.call(http.MethodDelete, "/api/projects/"+project, "")
			status, _ := b.call(http.MethodGet, "/api/agents/"+agent, "")
			return fmt.Sprint(status)
		}, "404", "200"},
		llm.SkipIntegrationTakes: {func(b *bare) string {
			project := b.make("projects", `{"name":"Store"}`)
			agent := b.make("agents", `{"name":"A","projectId":"`+project+`","modelType":"gpt-5"}`)
			prompt := b.make("prompts", `{"name":"P","projectId":"`+project+`","agentId":"`+agent+`","template":"x"}`)
			hook := b.make("integrations", `{"projectId":"`+project+`","serviceType":"WEBHOOK","actions":[{"promptId":"`+prompt+`"}]}`)
			b.call(http.MethodDelete, "/api/integrations/"+hook, "")
			_, page := b.call(http.MethodGet, "/api/actions", "")
			return page.Get("meta.total").String()
		}, "0", "1"},
	}
	for _, name := range llm.Skippable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test, ok := tests[name]
			if !ok {
				t.Fatal("nothing shows that this rule can be switched off")
			}
			if got := test.see(newBare(t, nil)); got != test.with {
				t.Errorf("with the rule a client sees %s, want %s", got, test.with)
			}
			if got := test.see(newBare(t, op.Skips{name: true})); got != test.without {
				t.Errorf("without the rule a client sees %s, want %s", got, test.without)
			}
		})
	}
}
