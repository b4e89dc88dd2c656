package ingestion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	received := float64(mocktest.Now.Unix())
	t.Run("become records, which are there at once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.ingest(`{"path":"/a"}`).Want(200)
		c.ingest(`{"path":"/b"}`).Want(200)
		if diff := cmp.Diff(map[string]any{"path": "/b", "time": received}, c.tail()); diff != "" {
			t.Errorf("the last record (-want +got):\n%s", diff)
		}
		if n := c.count(); n != 2 {
			t.Errorf("the table counts %d records, want 2", n)
		}
		c.core("GET", "/table/show/shop/events").
			Wants("last_log_timestamp", "2026-01-15T09:30:00Z", "counter_updated_at", "2026-01-15T09:30:00Z")
	})
	for _, test := range []struct {
		name, event string
		want        map[string]any
	}{
		{"a text stays what it is", `{"a":"\u00e9 \"1\""}`, map[string]any{"a": `é "1"`}},
		{
			"a number is text as it was spelled", `{"a":1.50,"b":-0,"c":1E+2}`,
			map[string]any{"a": "1.50", "b": "-0", "c": "1E+2"},
		},
		{
			"a number beyond every type is, too", `{"a":123456789012345678901234567890,"b":1e999}`,
			map[string]any{"a": "123456789012345678901234567890", "b": "1e999"},
		},
		{"a boolean is its word", `{"a":true,"b":false}`, map[string]any{"a": "true", "b": "false"}},
		{"an object is JSON", `{"a": {"b" : [1.0, "x y"]}}`, map[string]any{"a": `{"b":[1.0,"x y"]}`}},
		{"an array is JSON", "{\"a\": [ true,\n null ]}", map[string]any{"a": `[true,null]`}},
		{"null is absent", `{"a":null,"b":""}`, map[string]any{"b": ""}},
		{"no members make a record of nothing", ` { } `, map[string]any{}},
		{"names are any text", `{"":"1","\"":"2","ü":"3"}`, map[string]any{"": "1", `"`: "2", "ü": "3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.ingest(test.event).Want(200)
			test.want["time"] = received
			if diff := cmp.Diff(test.want, c.tail()); diff != "" {
				t.Errorf("the record (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("may be nested a thousand times", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
		c.ingest(`{"a":` + deep + `}`).Want(200)
		if c.tail()["a"] != deep {
			t.Errorf("the record is %v", c.tail())
		}
	})
	t.Run("go into tables whose names have capitals only by these", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Call("POST", strings.Replace(events, "shop/events", "shop/Events", 1), `{}`).Want(200)
		if n := c.count(); n != 0 {
			t.Errorf("the table counts %d records", n)
		}
	})
}

func TestRecordTime(t *testing.T) {
	t.Parallel()
	at, day := mocktest.Now.Unix(), int64(24*60*60)
	for _, test := range []struct {
		name, value string
		want        int64
	}{
		{"sets the time", fmt.Sprint(at - 60), at - 60},
		{"may be 7 days back", fmt.Sprint(at - 7*day), at - 7*day},
		{"may not be older", fmt.Sprint(at - 7*day - 1), at},
		{"may be 3 days ahead", fmt.Sprint(at + 3*day), at + 3*day},
		{"may not be further ahead", fmt.Sprint(at + 3*day + 1), at},
		{"in milliseconds is too far ahead", fmt.Sprint(at * 1000), at},
		{"may be a text", fmt.Sprintf(`"%d"`, at-60), at - 60},
		{"loses the parts of a second", fmt.Sprintf("%d.9", at-60), at - 60},
		{"may have an exponent", fmt.Sprintf("%de2", at/100), at / 100 * 100},
		{"that is no number is as none", `"yesterday"`, at},
		{"that is no number by name is as none", `"NaN"`, at},
		{"that is null is as none", `null`, at},
		{"that is an object is as none", `{"seconds":1}`, at},
		{"that is empty is as none", `""`, at},
		{"beyond every type is as none", `-1e400`, at},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.ingest(`{"svc_record_time":` + test.value + `}`).Want(200)
			record := c.tail()
			if record["time"] != float64(test.want) {
				t.Errorf("the time is %v, want %d", record["time"], test.want)
			}
			_, kept := record["svc_record_time"]
			if want := test.value != "null"; kept != want {
				t.Errorf("it is a value of the record: %v, want %v", kept, want)
			}
		})
	}
	t.Run("is looked at by the world's clock", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		event := fmt.Sprintf(`{"svc_record_time":%d}`, at+10*day)
		c.ingest(event).Want(200)
		if got := c.tail()["time"]; got != float64(at) {
			t.Errorf("the time is %v, want that of receipt, %d", got, at)
		}
		c.Advance(7 * 24 * time.Hour)
		c.ingest(event).Want(200)
		if got := c.tail()["time"]; got != float64(at+10*day) {
			t.Errorf("a week later the time is %v, want %d", got, at+10*day)
		}
	})
	t.Run("bears the brand", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithBrand("acme"))
		event := fmt.Sprintf(`{"svc_record_time":%d,"acme_record_time":%d}`, at-1, at-2)
		c.Call("POST", events, event, "Authorization", "", "X-Acme-Write-Key", "1/write").Want(200)
		record := c.tail("Authorization", "ACME1 1/admin")
		if record["time"] != float64(at-2) || record["svc_record_time"] == nil || record["acme_record_time"] == nil {
			t.Errorf("the record is %v", record)
		}
	})
}

func TestFormOfEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, event, why string
		headers          []string
	}{
		{"an array", `[{"a":1}]`, "object", nil},
		{"a text", `"a"`, "", nil},
		{"null", `null`, "", nil},
		{"nothing", ``, "no body", nil},
		{"half an object", `{"a":1`, "JSON", nil},
		{"two objects", `{"a":1}{"a":2}`, "JSON", nil},
		{"a name twice", `{"a":1,"a":2}`, "duplicate", nil},
		{"a name twice further down", `{"a":{"b":1,"b":2}}`, "duplicate", nil},
		{"bytes that are no UTF-8", "{\"a\":\"\xff\"}", "UTF-8", nil},
		{"nesting without end", `{"a":` + strings.Repeat("[", 100_000), "depth", nil},
		{"no media type", `{"a":1}`, "Content-Type", []string{"Content-Type", ""}},
		{"another media type", `{"a":1}`, "text/plain", []string{"Content-Type", "text/plain"}},
		{"a form", `a=1`, "x-www-form-urlencoded", []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"an unknown encoding", `{"a":1}`, "br", []string{"Content-Encoding", "br"}},
	} {
		t.Run(test.name+" is a 400", func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.refused(c.ingest(test.event, test.headers...), 400, test.why)
		})
	}
	for _, name := range []string{"shop-1/events", "shop/ev%20ents", "shop/events.json", "sh%C3%B6p/events"} {
		t.Run("a name such as "+name+" is a 400", func(t *testing.T) {
			t.Parallel()
			path := strings.Replace(events, "shop/events", name, 1)
			c := newClient(t)
			c.refused(c.Call("POST", path, `{}`), 400, "_name")
		})
	}
	t.Run("parameters of the media type do not matter", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.ingest(`{"a":1}`, "Content-Type", "Application/JSON; charset=utf-8").Want(200)
		if c.count() != 1 {
			t.Error("the event is not there")
		}
	})
	t.Run("without validation, what cannot be a record is still a 400", func(t *testing.T) {
		t.Parallel()
		for _, event := range []string{`[]`, `{"a":1,"a":2}`, `{"a":1}{"b":2}`, `{"a":1`, `{"a":}`, `{`, ``} {
			c := newClient(t, mockserver.WithValidation(mockserver.Off))
			c.refused(c.ingest(event), 400, "request body")
		}
	})
	t.Run("unknown paths and methods have the empty body, too", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for status, a := range map[int]mocktest.Answer{
			404: c.Call("POST", "/postback/v3/event/shop", `{}`),
			405: c.Call("GET", events, ""),
		} {
			if a.Want(status).Body != "{}" {
				t.Errorf("%d: the body is %s", status, a.Body)
			}
		}
	})
}
