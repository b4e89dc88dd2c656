package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/console"
)

// What a person sends is sent, and what came of it is shown, with the call as curl.
func TestOperating(t *testing.T) {
	t.Parallel()
	base := start(t)
	page := base + console.Path + "w/default/"
	form := url.Values{"body": {`{"concurrencyLimit":"many"}`}, "path:poolId": {"2"}, "send": {"1"}}
	refused := post(t, http.DefaultClient, page+"operations/workflow.updatePool", form)
	if !strings.Contains(refused.body, "concurrencyLimit: value must be an integer") {
		t.Errorf("a wrong request: %d %s", refused.status, text(refused.body))
	}
	form.Set("body", `{"concurrencyLimit":7}`)
	done := post(t, http.DefaultClient, page+"operations/workflow.updatePool", form)
	if !strings.Contains(done.body, "Done.") || !strings.Contains(done.body, "curl -X PATCH") {
		t.Errorf("a request: %d %s", done.status, text(done.body))
	}
	pool := open(t, http.DefaultClient, page+"resources/workflow.pool/2")
	for _, want := range []string{"concurrencyLimit", "7", "What was asked about it", "PATCH"} {
		if !strings.Contains(text(pool.body), want) {
			t.Errorf("the pool's page lacks %q: %s", want, text(pool.body))
		}
	}
}

// The form of a request has the example of the document, and what it sends is what the form began with.
func TestFormsBeginWithTheExample(t *testing.T) {
	t.Parallel()
	page := start(t) + console.Path + "w/default/operations/core.issueJob"
	if form := open(t, http.DefaultClient, page); !strings.Contains(form.body, `&#34;SELECT status`) {
		t.Errorf("the text of a query that is no JSON: %s", form.body)
	}
	issued := post(t, http.DefaultClient, page, url.Values{
		"path:job_type": {"trino"}, "path:database_name": {"shop"}, "json:query": {`"select 1"`}, "send": {"1"},
	})
	if !strings.Contains(text(issued.body), "Done.") {
		t.Errorf("a job: %s", text(issued.body))
	}
}
