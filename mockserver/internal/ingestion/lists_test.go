package ingestion_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	list       = "/shop/events"
	vendorType = "application/vnd.svc.v1+json"
)

// Newer client libraries send lists of events under a vendor's media type, to an address of their own or to the usual
// one, and compress them.
func TestListsOfEvents(t *testing.T) {
	t.Parallel()
	const two = `{"events":[{"path":"/a"},{"path":"/b","n":1}]}`
	for _, path := range []string{list, list + "/", "/" + list, events} {
		for _, kind := range []string{
			vendorType, "application/vnd.svc.v1.js+json", "application/vnd.acme.v1.mobile+json; charset=utf-8",
		} {
			for _, coding := range []string{"", "gzip"} {
				t.Run(strings.Join([]string{path, kind, coding}, " "), func(t *testing.T) {
					t.Parallel()
					c := newClient(t)
					body := two
					if coding != "" {
						body = zipped(two)
					}
					a := c.Call("POST", path, body, "Content-Type", kind, "Content-Encoding", coding).Want(200)
					if a.Body != "{}" || c.count() != 2 {
						t.Errorf("the answer is %s, and the table counts %d records, want 2", a.Body, c.count())
					}
				})
			}
		}
	}
	t.Run("one event by itself is one", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Call("POST", list, `{"path":"/a"}`, "Content-Type", vendorType).Want(200)
		c.Call("POST", events, `{"path":"/b"}`, "Content-Type", vendorType).Want(200)
		c.Call("POST", list, `{"path":"/c"}`, "Content-Type", "application/json").Want(200)
		if n := c.count(); n != 3 {
			t.Errorf("the table counts %d records, want 3", n)
		}
	})
	t.Run("an event may have a member that is called events", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for path, body := range map[string]string{events: `{"events":[{"a":1}]}`, list: `{"events":[{"a":1}],"b":2}`} {
			c.Call("POST", path, body, "Content-Type", "application/json").Want(200)
			if diff := cmp.Diff(`[{"a":1}]`, c.tail()["events"]); diff != "" {
				t.Errorf("the record at %s (-want +got):\n%s", path, diff)
			}
		}
	})
	t.Run("no events are stored as none", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Call("POST", list, `{"events":[]}`, "Content-Type", vendorType).Want(200)
		if n := c.count(); n != 0 {
			t.Errorf("the table counts %d records", n)
		}
	})
	t.Run("with one wrong event nothing is stored", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, body := range []string{
			`{"events":[{"a":1},7]}`, `{"events":[{"a":1},{"b":1,"b":2}]}`, `{"events":[{"a":1}`, `[{"a":1}]`, ``,
		} {
			c.Call("POST", list, body, "Content-Type", vendorType).Want(400)
		}
		if n := c.count(); n != 0 {
			t.Errorf("the table counts %d records", n)
		}
	})
	t.Run("what is wrong with the address or the key is as with one event", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Call("POST", "/shop/none", two, "Content-Type", vendorType).Want(200)
		c.Call("POST", list, two, "Content-Type", vendorType, "Authorization", "SVC1 1/nobody").Want(200)
		c.Call("POST", list, two, "Content-Type", vendorType, "Authorization", "").Want(403)
		c.Call("POST", list, two, "Content-Type", "text/plain").Want(400)
		c.Call("POST", list, two, "Content-Type", "application/vnd.svc.v2+json").Want(400)
		c.Call("POST", "/postback/v3", two, "Content-Type", vendorType).Want(404)
		c.Call("POST", list, `{"events":[{"a":"`+strings.Repeat("a", 1_048_064)+`"}]}`, "Content-Type", vendorType).Want(413)
		c.Call("GET", list, "").Want(405)
		if n := c.count(); n != 0 {
			t.Errorf("the table counts %d records", n)
		}
	})
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.String()
}
