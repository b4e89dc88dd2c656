package mockserver_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"),
		mockserver.WithBaseURL("workflow", "https://jobs.example/wf"))
	own, err := s.Interface("workflow")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		handler http.Handler
		target  string
		status  int
	}{
		{"a path prefix", s, "http://127.0.0.1:4010/workflow/api/pools", 200},
		{"a host label", s, "http://workflow.localhost:4010/api/pools", 200},
		{"a host label without a port", s, "http://workflow.localhost/api/pools", 200},
		{"a host label in another case", s, "http://Workflow.LocalHost/api/pools", 200},
		{"a base address of the user's", s, "https://jobs.example/wf/api/pools", 200},
		{"a port of its own", own, "http://127.0.0.1:4011/api/pools", 200},
		{"slashes before and behind a prefix", s, "http://127.0.0.1:4010//workflow//api//pools", 200},
		{"slashes behind a host label", s, "http://workflow.localhost//api/pools", 200},
		{"slashes in a base address", s, "https://jobs.example//wf//api/pools", 200},
		{"slashes at a port of its own", own, "http://127.0.0.1:4011//api//pools", 200},
		{"slashes around a world", s, "http://127.0.0.1:4010//_worlds//default//workflow/api/pools", 200},
		{"slashes in the control interface", s, "http://127.0.0.1:4010//_understudy//worlds", 200},
		{"slashes before an extra", s, "http://127.0.0.1:4010/workflow//api/version/check?client=1.0", 200},
		{"slashes before another name", s, "http://127.0.0.1:4010//workflows/api/pools", 404},
		{"an interface that is none", s, "http://127.0.0.1:4010/workflows/api/pools", 404},
		{"a host label that is none", s, "http://jobs.localhost/api/pools", 404},
		{"no interface", s, "http://127.0.0.1:4010/", 404},
		{"a prefix of the base address only", s, "https://jobs.example/wfx/api/pools", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mocktest.Call(t, test.handler, "GET", test.target, "").Want(test.status)
		})
	}
}

func TestRouting(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	for _, test := range []struct {
		name, method, path string
		status             int
		allow, nearest     string
	}{
		{"an unknown path tells the nearest", "GET", "/api/pool", 404, "", "GET /api/pools"},
		{"a trailing slash and a method that is not documented", "PUT", "/api/pools/", 405, "GET, POST", ""},
		{"slashes too many are not redirected", "PUT", "//api//pools", 405, "GET, POST", ""},
		{"an escaped slash separates nothing", "GET", "/api%2Fpools", 404, "", "GET /api/pools"},
		{"dots are not resolved", "GET", "/api/x/../pools", 404, "", "GET /api/pools"},
		{"a method that is not documented", "PUT", "/api/pools", 405, "GET, POST", ""},
		{"HEAD", "HEAD", "/api/pools", 405, "GET, POST", ""},
		{"OPTIONS", "OPTIONS", "/api/pools", 405, "GET, POST", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := mocktest.Call(t, s, test.method, "http://localhost/workflow"+test.path, "").Want(test.status)
			got := []string{a.Header.Get("Allow"), a.Header.Get("X-Understudy-Nearest")}
			if diff := cmp.Diff([]string{test.allow, test.nearest}, got); diff != "" {
				t.Errorf("Allow and nearest (-want +got):\n%s", diff)
			}
			if m := mocktest.Decode[mocktest.Message](a); m.Status != test.status || m.Message == "" {
				t.Errorf("the body is not the interface's error form: %s", a.Body)
			}
		})
	}
}

func TestATrailingSlashMakesNoDifference(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	for _, path := range []string{"/workflow/api/pools", "/core/v3/database/list", "/dwh/v1/dwh", "/llm/api/agents"} {
		without, with := mocktest.Call(t, s, "GET", path, "").Want(200), mocktest.Call(t, s, "GET", path+"/",
			"").Want(200)
		if diff := cmp.Diff(without.Body, with.Body); diff != "" {
			t.Errorf("%s (-without +with):\n%s", path, diff)
		}
	}
}

func TestPathsOutsideTheBase(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	a := mocktest.Call(t, s, "GET", "/core/database/list", "").Want(404)
	got := []string{mocktest.Decode[mocktest.Message](a).Message, a.Header.Get("X-Understudy-Nearest")}
	want := []string{"no operation GET /database/list; paths of core begin with /v3", "GET /v3/database/list"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message and nearest (-want +got):\n%s", diff)
	}
}

// The path of the server of a user's document may be left out: what is answered and remembered is as if it were there.
func TestOwnBaseMayBeLeftOut(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithSpec("shop", "internal/own/testdata/shapes/begun.yaml"))
	a := mocktest.Call(t, s, "POST", "http://localhost/shop/orders", `{"item":"a"}`).Want(201)
	if at := a.Header.Get("Location"); at != "http://localhost/shop/v1/orders/1" {
		t.Errorf("Location %s", at)
	}
	if below := mocktest.Call(t, s, "GET", "/shop/v1/orders/1", "").Want(200); below.Body != a.Body {
		t.Errorf("%s below the base, want %s", below.Body, a.Body)
	}
	mocktest.Call(t, s, "PUT", "http://shop.localhost/orders/1", "").Want(405)
	mocktest.Call(t, s, "GET", "/shop/none", "").Want(404)
	exchanges, err := s.World("").Journal("shop.createOrder")
	if err != nil || len(exchanges) != 1 || exchanges[0].Request.URL != "http://localhost/shop/v1/orders" {
		t.Errorf("the journal has %v, %v", exchanges, err)
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	const plain, pools = "/workflow/api/projects", "/workflow/api/pools"
	for _, test := range []struct {
		name, path, header, value string
		status                    int
	}{
		{"the scheme and a key", plain, "Authorization", "SVC1 1/admin", 200},
		{"the scheme in another case", plain, "Authorization", "svc1 1/admin", 200},
		{"more spaces", plain, "Authorization", "SVC1   1/admin ", 200},
		{"no header", plain, "Authorization", "", 401},
		{"another scheme", plain, "Authorization", "Bearer 1/admin", 401},
		{"the bare key", plain, "Authorization", "1/admin", 401},
		{"the scheme alone", plain, "Authorization", "SVC1", 401},
		{"a wrong key", plain, "Authorization", "SVC1 1/nobody", 401},
		{"a write-only key", plain, "Authorization", "SVC1 1/write", 403},
		{"a write-only key where administrators are wanted", pools, "Authorization", "SVC1 1/write", 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := mocktest.Call(t, s, "GET", test.path, "", test.header, test.value).Want(test.status)
			if test.status != 200 && mocktest.Decode[mocktest.Message](a).Status != test.status {
				t.Errorf("the body is not the interface's error form: %s", a.Body)
			}
		})
	}
	t.Run("a restricted user may read projects but not pools", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		fixture := `{"account":{"users":[{"id":7,"name":"Rhea","email":"rhea@shop.example","role":"restricted"}],
			"keys":[{"key":"7/rhea","user":"rhea@shop.example"}]}}`
		mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", fixture).Want(200)
		mocktest.Call(t, s, "GET", plain, "", "Authorization", "SVC1 7/rhea").Want(200)
		mocktest.Call(t, s, "GET", pools, "", "Authorization", "SVC1 7/rhea").Want(403)
	})
	t.Run("a brand is the scheme's word", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithBrand("acme"))
		mocktest.Call(t, s, "GET", plain, "", "Authorization", "ACME1 1/admin").Want(200)
		a := mocktest.Call(t, s, "GET", plain, "", "Authorization", "SVC1 1/admin").Want(401)
		if !strings.Contains(a.Body, "ACME1") {
			t.Errorf("the refusal does not tell the scheme: %s", a.Body)
		}
	})
}

func TestOwnFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		reply  mockserver.Reply
		panics bool
		says   string
	}{
		{"a panic", mockserver.Reply{}, true, "on purpose"},
		{"an undocumented status", mockserver.Reply{Status: 418}, false, "418"},
		{"a body off the schema", mockserver.Reply{Status: 200, Body: map[string]int{"pools": 1}}, false, "pools"},
		{"no body where one is documented", mockserver.Reply{Status: 200}, false, "media type"},
		{"another media type", mockserver.Reply{Status: 200, Bytes: []byte("x"), Type: "text/plain"}, false, "text/plain"},
	} {
		t.Run(test.name+" is a 500, and fails the running test", func(t *testing.T) {
			t.Parallel()
			var failed []string
			s := mocktest.NewServer(t, mockserver.WithLogger(slog.New(slog.DiscardHandler)),
				mockserver.WithFailure(func(message string) { failed = append(failed, message) }))
			s.ReplaceHandler("workflow", "listPools", test.reply, test.panics)
			a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(500)
			if mocktest.Decode[mocktest.Message](a).Status != 500 || strings.Contains(a.Body, "on purpose") {
				t.Errorf("the body is not the interface's error form, or tells too much: %s", a.Body)
			}
			if len(failed) != 1 || !strings.Contains(failed[0], test.says) {
				t.Errorf("the test was told %q", failed)
			}
		})
	}
}
