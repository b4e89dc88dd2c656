package jobs_test

import (
	"compress/gzip"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/query"
)

// oddRows has the values that each form writes in its own way.
var oddRows = fakeEngine{
	columns: []query.Column{
		{Name: "text", Type: "varchar"},
		{Name: "number", Type: "double"},
		{Name: "more, or less", Type: "varbinary"},
	},
	rows: [][]any{
		{"a\tb,\"c\"\nd", 1.5, []byte{0, 255}},
		{nil, math.NaN(), true},
		{"", math.Inf(-1), int64(7)},
		{"ü", 2.0, 1e21},
	},
}

func TestResults(t *testing.T) {
	t.Parallel()
	c := jobClient(t, oddRows)
	id := c.query("SELECT 1")
	c.Advance(5 * time.Second)
	read := func(query string) mocktest.Answer { return c.Get("/job/result/" + id + query).Want(200) }
	lines := `["a\tb,\"c\"\nd",1.5,"AP8="]` + "\n" + `[null,"NaN",true]` + "\n" + `["","-Infinity",7]` + "\n" +
		`["ü",2.0,1e+21]` + "\n"
	for _, test := range []struct{ query, media, want string }{
		{"?format=json", "application/json", lines},
		{"?format=jsonl", "application/json", lines},
		{"?format=json&header=true", "application/json", lines},
		{"?format=json&limit=1", "application/json", `["a\tb,\"c\"\nd",1.5,"AP8="]` + "\n"},
		{"?format=jsonl&nullify_special=true", "application/json", `["a\tb,\"c\"\nd",1.5,"AP8="]` + "\n" +
			`[null,null,true]` + "\n" + `["",null,7]` + "\n" + `["ü",2.0,1e+21]` + "\n"},
		{"?format=csv", "text/csv", "\"a\tb,\"\"c\"\"\nd\",1.5,AP8=\n,NaN,true\n,-Infinity,7\nü,2.0,1e+21\n"},
		{
			"?format=csv&header=true&limit=2&nullify_special=true", "text/csv",
			"text,number,\"more, or less\"\n\"a\tb,\"\"c\"\"\nd\",1.5,AP8=\n,,true\n",
		},
		{"?header=true&limit=0", "text/tab-separated-values", "text\tnumber\tmore, or less\n"},
		{"", "text/tab-separated-values", "\"a\tb,\"\"c\"\"\nd\"\t1.5\tAP8=\n\tNaN\ttrue\n\t-Infinity\t7\nü\t2.0\t1e+21\n"},
		{"?format=msgpack&limit=0", "application/x-msgpack", ""},
	} {
		got := read(test.query)
		if diff := cmp.Diff(test.want, got.Body); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.query, diff)
		}
		if media := got.Header.Get("Content-Type"); media != test.media {
			t.Errorf("%s: media type %s, want %s", test.query, media, test.media)
		}
	}
}

func TestPackedResults(t *testing.T) {
	t.Parallel()
	c := jobClient(t, oddRows)
	id := c.query("SELECT 1")
	c.Advance(5 * time.Second)
	read := func(query string) string { return c.Get("/job/result/" + id + query).Want(200).Body }
	want := [][]any{
		{"a\tb,\"c\"\nd", 1.5, []byte{0, 255}},
		{nil, math.NaN(), true},
		{"", math.Inf(-1), int8(7)}, // which takes one byte
		{"ü", 2.0, 1e21},
	}
	unpack := func(stream string) (rows [][]any) {
		decoder := msgpack.NewDecoder(strings.NewReader(stream))
		for {
			row, err := decoder.DecodeSlice()
			if err != nil {
				return rows
			}
			rows = append(rows, row)
		}
	}
	sameRows := func(name string, want [][]any, stream string) {
		t.Helper()
		equal := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
		if diff := cmp.Diff(want, unpack(stream), equal); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	stream := read("?format=msgpack&nullify_special=true&header=true")
	sameRows("msgpack", want, stream)
	sameRows("limited", want[:3], read("?format=msgpack&limit=3"))
	packed := read("?format=msgpack.gz")
	reader, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if !reader.ModTime.IsZero() {
		t.Errorf("the gzip tells a time: %v", reader.ModTime)
	}
	plain, err := io.ReadAll(reader)
	if err != nil || string(plain) != stream {
		t.Errorf("unpacked: %x (%v), want %x", plain, err, stream)
	}
	c.Get("/job/status/" + id).Has(map[string]any{"num_records": 4.0, "result_size": float64(len(packed))})
}

func TestResultDownloads(t *testing.T) {
	t.Parallel()
	t.Run("a download that broke off is read on", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Advance(5 * time.Second)
		path := "/job/result/" + id + "?format=msgpack.gz"
		whole := c.Get(path).Want(200)
		tag := whole.Header.Get("ETag")
		if tag == "" || c.Get(path).Header.Get("ETag") != tag || whole.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("headers: %v", whole.Header)
		}
		if other := c.Get("/job/result/" + id + "?format=json").Header.Get("ETag"); other == tag {
			t.Errorf("two forms have the tag %s", tag)
		}
		rest := c.Call("GET", path, "", "Range", "bytes=10-", "If-Range", tag).Want(206)
		if rest.Body != whole.Body[10:] {
			t.Errorf("rest: %x of %x", rest.Body, whole.Body)
		}
		c.Call("GET", path, "", "Range", "bytes=10-", "If-Range", `"another"`).Want(200)
		c.Call("GET", path, "", "Range", "bytes=9999-").Refused(416, "Range")
	})
	t.Run("a result is there when its job has succeeded, and for 7 days", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Get("/job/result/"+id).Refused(404, "job "+id, "queued")
		c.Advance(time.Second)
		c.Get("/job/result/"+id).Refused(404, "running")
		c.Advance(4*time.Second + 7*24*time.Hour)
		c.Get("/job/result/" + id).Want(200)
		c.Advance(time.Second)
		c.Get("/job/result/"+id).Refused(404, "7 days")
		c.Get("/job/status/" + id).Has(map[string]any{"status": "success", "num_records": 3.0})
	})
	t.Run("Accept decides when no format is named", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Advance(5 * time.Second)
		for accept, want := range map[string]string{
			"application/json":              "application/json",
			"image/png, text/csv;q=0.5":     "text/csv",
			"application/json, */*;q=0.1":   "text/tab-separated-values",
			"text/*":                        "text/tab-separated-values",
			"application/x-gzip;q=0, */*":   "text/tab-separated-values",
			"application/x-gzip, image/png": "application/x-gzip",
		} {
			if got := c.Call("GET", "/job/result/"+id, "", "Accept", accept).Want(200).Header.Get("Content-Type"); got != want {
				t.Errorf("Accept %s: %s, want %s", accept, got, want)
			}
		}
		c.Call("GET", "/job/result/"+id, "", "Accept", "image/png, text/csv;q=0").Refused(406, "Accept")
		c.Call("GET", "/job/result/"+id+"?format=csv", "", "Accept", "image/png").Want(200)
	})
	t.Run("what cannot be read", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.query("SELECT 1")
		c.Advance(5 * time.Second)
		c.Get("/job/result/"+id+"?format=xml").Refused(400, "format")
		c.Get("/job/result/"+id+"?limit=-1").Refused(400, "limit", "-1")
		c.Get("/job/result/"+id+"?limit=x").Refused(400, "limit")
		c.as("1/analyst").Get("/job/result/"+id).Refused(403, "query", "shop")
		c.as("1/analyst").Get("/job/show/" + id).Want(200)
		c.Post("/database/delete/shop", "").Want(200)
		c.as("1/analyst").Get("/job/result/"+id).Refused(403, "shop was deleted")
		c.Get("/job/result/" + id).Want(200)
	})
}

func TestTruthValuesAreTrueAndFalseInEveryFormat(t *testing.T) {
	t.Parallel()
	c := newClient(t).load(`
core:
  databases: [{name: shop}]
  results:
  - query: SELECT flags
    columns: [[flag, boolean], [n, bigint], [s, varchar]]
    rows: [[1, 1, 'true'], [0, 0, 'false'], [null, 1, '1'], [true, 2, ''], ['false', 3, ''], [7, 4, '']]
`)
	id := c.query("SELECT flags")
	c.Advance(5 * time.Second)
	for format, want := range map[string]string{
		"json": "[true,1,\"true\"]\n[false,0,\"false\"]\n[null,1,\"1\"]\n[true,2,\"\"]\n[false,3,\"\"]\n[7,4,\"\"]\n",
		"csv":  "true,1,true\nfalse,0,false\n,1,1\ntrue,2,\nfalse,3,\n7,4,\n",
		"tsv":  "true\t1\ttrue\nfalse\t0\tfalse\n\t1\t1\ntrue\t2\t\nfalse\t3\t\n7\t4\t\n",
		"msgpack": "\x93\xc3\x01\xa4true\x93\xc2\x00\xa5false\x93\xc0\x01\xa11\x93\xc3\x02\xa0\x93\xc2\x03\xa0" +
			"\x93\x07\x04\xa0",
	} {
		if got := c.Get("/job/result/" + id + "?format=" + format).Want(200).Body; got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}
