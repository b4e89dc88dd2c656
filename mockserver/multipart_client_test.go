package mockserver_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
)

// multipartClient is a client of core that sends the parameters of every POST as multipart/form-data, as one widespread
// library does.
type multipartClient struct{ *mocktest.Client }

func (c multipartClient) get(path string) mocktest.Answer {
	c.Helper()
	return c.Get(path).Want(http.StatusOK)
}

// post sends names and values in turn.
func (c multipartClient) post(path string, fields ...string) mocktest.Answer {
	c.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			c.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		c.Fatal(err)
	}
	return c.Call(http.MethodPost, path, body.String(), "Content-Type", w.FormDataContentType()).Want(http.StatusOK)
}

// job holds the members of a job that a client reads.
type job struct {
	ID     string `json:"job_id"`
	Status string `json:"status"`
	Type   string `json:"type"`
	Target string `json:"result"`
}

func (c multipartClient) wait(a mocktest.Answer) (j job) {
	c.Helper()
	id := a.Value("job_id").Text()
	status := ""
	for range 5 { // queued, running, and what becomes of it
		if status = c.get("/job/status/" + id).Value("status").Text(); status == "success" {
			c.get("/job/show/" + id).Into(&j)
			return j
		}
	}
	c.Fatalf("job %s is %s", id, status)
	return j
}

// packedRows are rows as clients upload them: a stream of maps in MessagePack, gzipped.
func packedRows(t *testing.T, n int, row func(int) map[string]any) string {
	t.Helper()
	var body bytes.Buffer
	zipped := gzip.NewWriter(&body)
	encoder := msgpack.NewEncoder(zipped)
	for i := range n {
		if err := encoder.Encode(row(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return body.String()
}

// The life of core as a client sees it that knows no other body than multipart/form-data. What it did conforms.
func TestAMultipartClientPlaysTheLifeOfCore(t *testing.T) {
	t.Parallel()
	c := multipartClient{mocktest.Open(t, specs.Core, mockserver.WithClock("auto"),
		mockserver.WithQueryEngine(sqlite.New()))}

	c.post("/database/create/kiosk")
	c.post("/table/create/kiosk/sales", "schema", `[["item","string"],["price","long"]]`, "detect_schema", "true",
		"idempotent_key", "once", "expire_days", "")
	c.post("/table/create/kiosk/sales", "idempotent_key", "once")

	rows := packedRows(t, 1000, func(i int) map[string]any {
		return map[string]any{"time": 1768469400 + i, "item": []string{"tea", "cake"}[i%2], "price": i % 5}
	})
	imported := c.Call(http.MethodPut, "/table/import/kiosk/sales/msgpack.gz", rows, "Content-Type",
		"application/octet-stream")
	if elapsed := imported.Want(http.StatusOK).Object()["elapsed_time"]; fmt.Sprintf("%T", elapsed) != "float64" {
		t.Errorf("elapsed_time of the import is %v", elapsed)
	}

	query := "SELECT item, count(*) AS sold, sum(price) AS total FROM sales GROUP BY item ORDER BY item"
	issued := c.post("/job/issue/presto/kiosk", "query", query, "priority", "1", "retry_limit", "", "domain_key", "")
	result := "/job/result/" + c.wait(issued).ID
	for format, want := range map[string]string{
		"json":  "[\"cake\",500,1000]\n[\"tea\",500,1000]",
		"jsonl": "[\"cake\",500,1000]\n[\"tea\",500,1000]",
		"csv":   "cake,500,1000\ntea,500,1000",
		"tsv":   "cake\t500\t1000\ntea\t500\t1000",
	} {
		got := strings.TrimSpace(strings.ReplaceAll(c.get(result+"?limit=&format="+format).Body, "\r", ""))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
	zipped, err := gzip.NewReader(strings.NewReader(c.get(result + "?format=msgpack.gz").Body))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(zipped); err != nil || string(plain) != c.get(result+"?format=msgpack").Body {
		t.Errorf("msgpack.gz is not msgpack, zipped: %v", err)
	}

	export := c.wait(c.post("/export/run/kiosk/sales", "storage_type", "s3", "bucket", "b", "file_format", "jsonl.gz",
		"from", "",
		"access_key_id", "i", "secret_access_key", "s"))
	if export.Type != "export" {
		t.Errorf("the export is a job of type %s", export.Type)
	}
	moved := c.wait(c.post("/job/result_export/"+strings.TrimPrefix(result, "/job/result/"), "result",
		`{"type":"s3","bucket":"b"}`))
	if moved.Type != "result_export" {
		t.Errorf("the export of a result is a job of type %s", moved.Type)
	}

	c.post("/schedule/create/nightly", "database", "kiosk", "query", query, "type", "presto", "cron", "0 1 * * *",
		"timezone", "", "delay", "", "priority", "", "retry_limit", "2")
	if ran := c.post("/schedule/run/nightly/1768500000", "num", "2").Value("jobs"); ran.Len() != 2 {
		t.Errorf("the schedule ran %d jobs", ran.Len())
	}
	c.post("/schedule/delete/nightly")
	c.post("/table/delete/kiosk/sales")
	c.post("/database/delete/kiosk")
	checktest.WantConform(t, checktest.Plain(t), c.World())
}
