package ingestion_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	const authorization, writeKey = "Authorization", "X-Svc-Write-Key"
	for _, test := range []struct {
		name                    string
		authorization, writeKey string
	}{
		{"in Authorization", "SVC1 1/admin", ""},
		{"in Authorization, with the scheme in another case", "svc1  1/admin", ""},
		{"in a header of its own", "", "1/admin"},
		{"that is write-only", "", "1/write"},
		{"that is write-only, in Authorization", "SVC1 1/write", ""},
		{"in Authorization, before a wrong one in the other header", "SVC1 1/admin", "1/nobody"},
	} {
		t.Run("a key "+test.name+" imports", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.ingest(`{"a":1}`, authorization, test.authorization, writeKey, test.writeKey).Want(200)
			if c.count() != 1 || len(c.World().IngestionFailures()) != 0 || c.notes() != "" {
				t.Errorf("the event is not there: %s", c.notes())
			}
		})
	}
	for _, test := range []struct {
		name                    string
		authorization, writeKey string
		path, reason            string
	}{
		{"a key of nobody", "SVC1 1/nobody", "", "shop/events", "key"},
		{"a key of nobody in a header of its own", "", "1/nobody", "shop/events", "key"},
		{
			"a wrong key in Authorization before a good one in the other header", "SVC1 1/nobody", "1/admin", "shop/events",
			"key",
		},
		{"a bare key in Authorization", "1/admin", "", "shop/events", "key"},
		{"a bare key in Authorization before a good one in the other header", "1/admin", "1/admin", "shop/events", "key"},
		{"another scheme", "Bearer 1/admin", "", "shop/events", "key"},
		{"the scheme alone", "SVC1", "1/admin", "shop/events", "key"},
		{"a key whose user may not import", "SVC1 1/analyst", "", "shop/events", "import"},
		{"an unknown database", "SVC1 1/admin", "", "shops/events", "database"},
		{"an unknown table", "SVC1 1/admin", "", "shop/event", "table"},
		{"a name in other capitals", "SVC1 1/admin", "", "SHOP/events", "database"},
	} {
		t.Run(test.name+" is a 200, and the event fails later", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			path := strings.Replace(events, "shop/events", test.path, 1)
			a := c.Call("POST", path, `{"a":1}`, authorization, test.authorization, writeKey, test.writeKey)
			c.refused(a, 200, "the event fails after this response")
			failures := c.World().IngestionFailures()
			if len(failures) != 1 {
				t.Fatalf("%d failures, want 1", len(failures))
			}
			f := failures[0]
			if !f.At.Equal(mocktest.Now) || f.Database+"/"+f.Table != test.path || !strings.Contains(f.Reason, test.reason) {
				t.Errorf("the failure is %+v", f)
			}
		})
	}
	for name, headers := range map[string][]string{
		"no key":              {authorization, ""},
		"a key in the query":  {authorization, ""},
		"an empty header":     {authorization, "", writeKey, " "},
		"both headers, empty": {authorization, " ", writeKey, ""},
	} {
		t.Run(name+" is a 403", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			path := events
			if name == "a key in the query" {
				path += "?svc_write_key=1/admin&write_key=1/admin"
			}
			c.refused(c.Call("POST", path, `{"a":1}`, headers...), 403, "X-SVC-Write-Key")
			if n := len(c.World().IngestionFailures()); n != 0 {
				t.Errorf("%d failures, want none: the refusal was told", n)
			}
		})
	}
	t.Run("a key that is taken away imports no more", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.ingest(`{"a":1}`, authorization, "SVC1 1/write").Want(200)
		const other = `{account: {users: [{id: 1, name: A, email: a@svc.example, role: owner}], keys: [{key: 1/other, user: a@svc.example}]}}`
		if err := c.World().Load([]byte(other)); err != nil {
			t.Fatal(err)
		}
		c.ingest(`{"a":1}`, authorization, "SVC1 1/write").Want(200)
		if failures := c.World().IngestionFailures(); len(failures) != 1 {
			t.Errorf("%d failures, want 1", len(failures))
		}
	})
	t.Run("a key leads into the world that it was minted for", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		fork := c.World().Fork()
		c.ingest(`{"a":1}`, authorization, "", writeKey, fork.Key()).Want(200)
		if c.count() != 0 || fork.Calls("ingestion.ingestEvent", 200) != 1 {
			t.Error("the event went into the world default")
		}
	})
	t.Run("failures are kept up to a thousand", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		before := c.World().Fork()
		for range 1001 {
			c.ingest(`{}`, authorization, "SVC1 1/nobody").Want(200)
		}
		if n := len(c.World().IngestionFailures()); n != 1000 {
			t.Errorf("%d failures are kept, want 1000", n)
		}
		if n := len(before.IngestionFailures()); n != 0 {
			t.Errorf("the fork has %d failures, want none", n)
		}
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for status, a := range map[int]mocktest.Answer{
		200: c.ingest(`{}`),
		400: c.ingest(`[]`),
		403: c.ingest(`{}`, "Authorization", ""),
		413: c.ingest(strings.Repeat(" ", maxBody+1)),
	} {
		t.Run(http.StatusText(status)+" has the five headers and an empty object", func(t *testing.T) {
			t.Parallel()
			if a.Status != status || a.Body != "{}" {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
			connection := "keep-alive"
			if status == 413 {
				connection = "close"
			}
			want := http.Header{
				"Content-Type": {"application/json"}, "Content-Length": {"2"}, "Date": {"Thu, 15 Jan 2026 09:30:00 GMT"},
				"Strict-Transport-Security": {"max-age=31536000"}, "Connection": {connection},
			}
			got := a.Header.Clone()
			got.Del("X-Understudy-Exchange")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	t.Run("serves the interface at its default address", func(t *testing.T) {
		t.Parallel()
		transport := mockserver.NewTransport(t, mockserver.WithScenario("empty"))
		r, err := http.NewRequestWithContext(t.Context(), "POST",
			mockserver.DefaultBaseURL("ingestion")+"/postback/v3/event/shop/events", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-SVC-Write-Key", "1/admin")
		response, err := transport.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 || transport.World().Calls("ingestion.ingestEvent") != 1 {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}
