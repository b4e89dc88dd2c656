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

const (
	shopPage = "https://shop.example"
	orders   = "/ingestion/postback/v3/event/shop/orders"
)

// allowed are the headers of an answer that browsers look at.
func allowed(a mocktest.Answer) map[string]string {
	list := map[string]string{}
	for name, values := range a.Header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
			list[name] = strings.Join(values, ", ")
		}
	}
	return list
}

// preflight asks whether a page may send an event.
func preflight(t *testing.T, s http.Handler, target string) mocktest.Answer {
	t.Helper()
	return mocktest.Call(t, s, "OPTIONS", target, "", "Authorization", "", "Origin", shopPage,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,x-svc-write-key")
}

func TestBrowsersPostEvents(t *testing.T) {
	t.Parallel()
	t.Run("a preflight is allowed, and is no exchange", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		want := map[string]string{
			"Access-Control-Allow-Origin":  shopPage,
			"Access-Control-Allow-Methods": "POST",
			"Access-Control-Allow-Headers": "Authorization, Content-Type, X-SVC-Write-Key, X-Understudy-World",
			"Access-Control-Max-Age":       "7200",
			"Vary":                         "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",

			"Access-Control-Allow-Credentials": "true",
		}
		for _, target := range []string{
			orders, "http://ingestion.localhost/postback/v3/event/shop/orders", "/_worlds/default" + orders,
			"/ingestion/shop/orders",
		} {
			if diff := cmp.Diff(want, allowed(preflight(t, s, target).Want(204))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", target, diff)
			}
		}
		journal, err := s.World("").Journal()
		if err != nil || len(journal) != 0 {
			t.Errorf("the journal has %d exchanges, error %v", len(journal), err)
		}
	})
	t.Run("it allows what else the page wants to send, and nothing that is no header's name", func(t *testing.T) {
		t.Parallel()
		a := mocktest.Call(t, mocktest.NewServer(t), "OPTIONS", orders, "", "Origin", shopPage,
			"Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "content-encoding,content-type, x-client,,a b,x-client").Want(204)
		const want = "Authorization, Content-Type, X-SVC-Write-Key, X-Understudy-World, content-encoding, x-client"
		if got := a.Header.Get("Access-Control-Allow-Headers"); got != want {
			t.Errorf("allowed are %s, want %s", got, want)
		}
	})
	t.Run("it allows the write key's header in the brand's words", func(t *testing.T) {
		t.Parallel()
		a := preflight(t, mocktest.NewServer(t, mockserver.WithBrand("XY")), orders).Want(204)
		if got := a.Header.Get("Access-Control-Allow-Headers"); !strings.Contains(got, "X-XY-Write-Key") {
			t.Errorf("allowed are %s", got)
		}
	})
	t.Run("answers, refusals among them, let the page read them", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		want := map[string]string{
			"Access-Control-Allow-Origin": shopPage, "Access-Control-Allow-Credentials": "true", "Vary": "Origin",
		}
		for _, test := range []struct {
			name, target, body, key string
			status                  int
		}{
			{"an event", orders, `{"a":1}`, mocktest.Admin, 200},
			{"an event with a wrong key", orders, `{"a":1}`, "SVC1 1/nobody", 200},
			{"no object", orders, `[]`, mocktest.Admin, 400},
			{"no key", orders, `{"a":1}`, "", 403},
			{"too large an event", orders, `{"a":"` + strings.Repeat("a", 1_048_064) + `"}`, mocktest.Admin, 413},
			{"a wrong path", "/ingestion/v3/event/shop/orders", `{"a":1}`, mocktest.Admin, 404},
		} {
			a := mocktest.Call(t, s, "POST", test.target, test.body, "Origin", shopPage, "Authorization",
				test.key).Want(test.status)
			if diff := cmp.Diff(want, allowed(a)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			if a := mocktest.Call(t, s, "POST", test.target, test.body, "Authorization", test.key); len(allowed(a)) != 0 {
				t.Errorf("%s without an origin has %v", test.name, allowed(a))
			}
		}
		journal, err := s.World("").Journal("ingestion.ingestEvent")
		if err != nil || journal[0].Response.Headers.Value("Access-Control-Allow-Origin") != shopPage {
			t.Errorf("the journal has not what was answered: %v, error %v", journal, err)
		}
	})
	t.Run("other interfaces are not for pages, and the control interface is not", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		for target, status := range map[string]int{
			"/core/v3/database/list": 405, "/workflow/api/pools": 405, "/llm/api/projects": 405, "/dwh/v1/dwh/": 405,
			"/audience/audiences/61/segments": 405, "/_understudy/worlds": 403,
		} {
			if a := preflight(t, s, target).Want(status); len(allowed(a)) != 0 {
				t.Errorf("%s has %v", target, allowed(a))
			}
			if a := mocktest.Call(t, s, "GET", target, "", "Origin", shopPage); len(allowed(a)) != 0 {
				t.Errorf("%s has %v", target, allowed(a))
			}
		}
	})
	t.Run("OPTIONS without what makes it a preflight is a method like any other", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Call(t, s, "OPTIONS", orders, "").Want(405)
		mocktest.Call(t, s, "OPTIONS", orders, "", "Origin", shopPage).Want(405)
		mocktest.Call(t, s, "OPTIONS", orders, "", "Access-Control-Request-Method", "POST").Want(405)
	})
}

func TestWithoutExtrasNewerClientsAreToldWhatIsRight(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/ingestion/shop/orders", "/ingestion/shop/orders/"} {
		var log strings.Builder
		s := mocktest.NewServer(t, mockserver.WithExtras(false),
			mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		a := mocktest.Call(t, s, "POST", path, `{"events":[{"a":1}]}`,
			"Content-Type", "application/vnd.svc.v1+json", "Origin", shopPage).Want(404)
		const right = "POST /postback/v3/event/shop/orders"
		journal, err := s.World("").Journal()
		if err != nil || len(journal) != 1 {
			t.Fatalf("the journal has %d exchanges, error %v", len(journal), err)
		}
		for what, text := range map[string]string{
			"answer": mocktest.Decode[mocktest.Message](a).Message, "log": log.String(),
			"journal": strings.Join(journal[0].Notes, " "),
		} {
			if !strings.Contains(text, right) || !strings.Contains(text, "not part of this interface") {
				t.Errorf("the %s does not say what is right: %s", what, text)
			}
		}
		if got := a.Header.Get("Access-Control-Allow-Origin"); got != shopPage {
			t.Errorf("the allowed origin is %q", got)
		}
	}
	t.Run("other unknown paths keep the interface's form", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithExtras(false))
		for path, method := range map[string]string{
			"/ingestion/postback/v3": "POST", "/ingestion/shop": "POST", "/ingestion/shop/orders": "GET",
			"/ingestion/a/b/c": "POST",
		} {
			if a := mocktest.Call(t, s, method, path, "").Want(404); a.Body != "{}" {
				t.Errorf("%s %s: %s", method, path, a.Body)
			}
		}
	})
}
