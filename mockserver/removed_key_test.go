package mockserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// The key of a sub user is the account's. Once core has removed the sub user, all six interfaces refuse the key, each
// in its own form; ingestion says nothing and stores nothing (documented).
func TestKeyOfARemovedSubUser(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
	const event = "/ingestion/postback/v3/event/shop/page_views"
	asKiosk := func(method, path, body string) mocktest.Answer {
		t.Helper()
		return mocktest.Call(t, s, method, path, body, "Authorization", "SVC1 1/kiosk")
	}
	count := func() int {
		t.Helper()
		return mocktest.Decode[struct{ Count int }](mocktest.Call(t, s, "GET", "/core/v3/table/show/shop/page_views", "")).Count
	}
	says := func(form string) string { return strings.ReplaceAll(form, "*", "the API key is not valid") }
	asked := []struct{ path, refused string }{
		{"/audience/audiences/61/segments", says(`{"code":"401","message":"*"}`)},
		{"/dwh/v1/dwh/", says(`{"error":{"code":401,"title":"Unauthorized","message":"*","detail":{}}}`)},
		{"/core/v3/database/list", says(`{"error":"*","message":"*","text":"*","severity":"error","status_code":401}`)},
		{"/llm/api/users/current", says(`{"status":"401","error":"*"}`)},
		{"/workflow/api/projects", says(`{"message":"*","status":401}`)},
	}
	before := count()
	asKiosk("POST", event, `{"path":"/"}`).Want(200)
	if got := count(); got != before+1 {
		t.Fatalf("%d records, want %d: the key was good for nothing from the beginning", got, before+1)
	}
	for _, a := range asked {
		if status := asKiosk("GET", a.path, "").Status; status == 401 {
			t.Errorf("%s refuses the key before its user was removed", a.path)
		}
	}

	mocktest.Call(t, s, "POST", "/core/v3/sub_user/remove/5", "").Want(200)

	for _, a := range asked {
		var got, want any
		if err := json.Unmarshal([]byte(asKiosk("GET", a.path, "").Want(401).Body), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(a.refused), &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", a.path, d)
		}
	}
	asKiosk("POST", event, `{"path":"/"}`).Want(200)
	if got := count(); got != before+1 {
		t.Errorf("%d records, want %d: an event with the key of a removed user was stored", got, before+1)
	}
	failures := mocktest.Call(t, s, "GET", "/_understudy/ingestion/failures", "").Body
	if !slices.ContainsFunc(strings.Split(failures, "}"),
		func(f string) bool { return strings.Contains(f, "not valid") }) {
		t.Errorf("the failures do not tell: %s", failures)
	}
}
