package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
)

// Looking changes nothing: neither the journal, nor the clock, nor what faults count.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	base := start(t, mockserver.WithClock("auto"))
	control := base + "/_understudy/worlds/default"
	if got := post(t, http.DefaultClient, base+console.Path+"do", url.Values{
		"call": {"POST worlds/default/faults"}, "string:operation": {"*.*"}, "number:status": {"503"}, "back": {"worlds"},
	}); got.status != http.StatusOK || !strings.Contains(got.body, "Done.") {
		t.Fatalf("plan a fault: %d %s", got.status, text(got.body))
	}
	look := func() (list []string) {
		for _, path := range []string{"/state", "/journal/counts", "/faults", ""} {
			list = append(list, open(t, http.DefaultClient, control+path).body)
		}
		return append(list, open(t, http.DefaultClient, base+"/_understudy/worlds").body)
	}
	before := look()
	for _, path := range []string{
		"resources", "resources/core.job", "resources/core.job/12", "resources/workflow.attempt/12",
		"resources/core.table/shop/orders", "resources/core.table/shop/orders?sql=delete+from+orders",
		"resources/who", "clock",
		"script", "journal",
	} {
		if page := open(t, http.DefaultClient, base+console.Path+"w/default/"+path); page.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, page.status, text(page.body))
		}
	}
	if tried := post(t, http.DefaultClient, base+console.Path+"w/default/operations/core.issueJob", url.Values{
		"path:job_type": {"trino"}, "path:database_name": {"shop"}, "body": {`{"query":"select 1"}`}, "check": {"1"},
	}); !strings.Contains(tried.body, "Nothing has changed.") {
		t.Errorf("checking a request: %d %s", tried.status, text(tried.body))
	}
	if after := look(); !slices.Equal(before, after) {
		t.Errorf("before and after looking:\n%s\n%s", before, after)
	}
}
