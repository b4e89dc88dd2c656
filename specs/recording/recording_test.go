package recording_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

func exchange() *recording.Exchange {
	at := time.Date(2026, 1, 15, 9, 30, 0, 123456789, time.UTC)
	return &recording.Exchange{
		Seq: 7, Start: at, End: at.Add(1500 * time.Microsecond), World: "default", Operation: "workflow.putProjectSecret",
		Request: recording.Request{
			Method: "PUT", URL: "https://workflow.svc.example/api/projects/1/secrets/db?a=1&a=2&write_key=hidden",
			Headers: recording.Headers{
				{"Host", "workflow.svc.example"},
				{"authorization", "SVC1 1/admin"},
				{"Content-Type", "application/json"},
			},
			Body: &recording.Body{Bytes: []byte(`{"value":"hunter2","more":[1.50,"<&>"]}`)},
		},
		Response: &recording.Response{
			Status:  200,
			Headers: recording.Headers{{"Content-Type", "application/gzip"}, {"Set-Cookie", "session=abc"}},
			Body:    &recording.Body{Bytes: []byte{0x1f, 0x8b, 0xff}, Truncated: true},
		},
		Notes: []string{"a note"}, Fault: "fault-1; answer=own; effect=once",
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := recording.Write(&b, exchange()); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\n") != 1 || !strings.HasSuffix(b.String(), "\n") {
		t.Errorf("want one line, got %q", b.String())
	}
	if !strings.Contains(b.String(), `"<&>\"]}"`) || !strings.Contains(b.String(), `"base64":"H4v/"`) {
		t.Errorf("bodies are not as they were: %s", b.String())
	}
	var again recording.Exchange
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exchange(), &again); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"text and base64": `{"text":"a","base64":"YQ=="}`,
		"broken base64":   `{"base64":"%"}`,
		"no object":       `"a"`,
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			var b recording.Body
			if err := json.Unmarshal([]byte(text), &b); err == nil {
				t.Errorf("%s is read as %q", text, b.Bytes)
			}
		})
	}
}

func TestWriteHAR(t *testing.T) {
	t.Parallel()
	broken := exchange()
	broken.Response = nil
	broken.Request.Body.Truncated = true
	var b bytes.Buffer
	if err := recording.WriteHAR(&b, slices.Values([]*recording.Exchange{exchange(), broken})); err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Version string
			Entries []struct {
				StartedDateTime time.Time
				Time            float64
				Request         struct {
					QueryString []struct{ Name, Value string }
					PostData    struct{ MimeType, Text, Comment string }
				}
				Response struct {
					Status  int
					Content struct{ Text, Encoding string }
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &archive); err != nil {
		t.Fatal(err)
	}
	entries := archive.Log.Entries
	if archive.Log.Version != "1.2" || len(entries) != 2 {
		t.Fatalf("version %s, %d entries", archive.Log.Version, len(entries))
	}
	first := entries[0]
	if first.Time != 1.5 || !first.StartedDateTime.Equal(exchange().Start) {
		t.Errorf("it took %v ms from %s", first.Time, first.StartedDateTime)
	}
	if first.Request.PostData.Text != `{"value":"hunter2","more":[1.50,"<&>"]}` || len(first.Request.QueryString) != 3 {
		t.Errorf("the request is %+v", first.Request)
	}
	if first.Response.Content.Text != "H4v/" || first.Response.Content.Encoding != "base64" {
		t.Errorf("the response is %+v", first.Response)
	}
	if first.Request.PostData.Comment != "" || entries[1].Request.PostData.Comment != "truncated" {
		t.Errorf("a request that is cut does not say so: %+v", entries[1].Request.PostData)
	}
	if entries[1].Response.Status != 0 {
		t.Errorf("a response that was not seen has status %d", entries[1].Response.Status)
	}
	t.Run("of nothing is an archive, too", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		if err := recording.WriteHAR(&b, slices.Values([]*recording.Exchange(nil))); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("%s, %v", b.String(), err)
		}
	})
}

func TestRedact(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.Workflow, "")
	if err != nil {
		t.Fatal(err)
	}
	op := doc.Operation("putProjectSecret")
	redactor := &recording.Redactor{Salt: []byte("salt")}
	t.Run("takes secrets out and leaves the rest", func(t *testing.T) {
		t.Parallel()
		original := exchange()
		clean := redactor.Redact(original, op)
		line, err := json.Marshal(clean)
		if err != nil {
			t.Fatal(err)
		}
		if clean.Fault != original.Fault {
			t.Errorf("the fault has become %q", clean.Fault)
		}
		for _, secret := range []string{"hunter2", "1/admin", "hidden", "session=abc"} {
			if bytes.Contains(line, []byte(secret)) {
				t.Errorf("%s is still in %s", secret, line)
			}
		}
		if got := clean.Request.Headers.Value("Authorization"); !strings.HasPrefix(got, "SVC1 "+recording.Mark) {
			t.Errorf("the scheme is lost: %s", got)
		}
		want := `{"value":"` + redactor.Hash("hunter2") + `","more":[1.50,"<&>"]}`
		if got := string(clean.Request.Body.Bytes); got != want {
			t.Errorf("body %s, want %s", got, want)
		}
		wantNames := []string{"authorization", "url.query.write_key", "request.body.value", "Set-Cookie"}
		if diff := cmp.Diff(wantNames, clean.Redacted); diff != "" {
			t.Errorf("redacted (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(exchange(), original); diff != "" {
			t.Errorf("the original has changed (-want +got):\n%s", diff)
		}
	})
	t.Run("a body that cannot be read goes whole", func(t *testing.T) {
		t.Parallel()
		e := exchange()
		e.Request.Body.Bytes = []byte(`{"value":"hunter2`)
		if got := string(redactor.Redact(e, op).Request.Body.Bytes); strings.Contains(got, "hunter2") {
			t.Errorf("body %s", got)
		}
	})
	t.Run("the same secret has the same hash, and another salt another", func(t *testing.T) {
		t.Parallel()
		other := &recording.Redactor{Salt: []byte("pepper")}
		first, again := redactor.Hash("a"), redactor.Hash("a")
		if first != again || first == redactor.Hash("b") || first == other.Hash("a") {
			t.Error("hashes do not tell callers apart, or tell too much")
		}
	})
}

func FuzzRedact(f *testing.F) {
	doc, err := specs.Load(specs.Workflow, "")
	if err != nil {
		f.Fatal(err)
	}
	op := doc.Operation("putProjectSecret")
	f.Add([]byte(`{"value":"hunter2"}`), "https://a.example/x?token=hunter2")
	f.Add([]byte(`{"value":"hunter2-very-secret","value":"hunter3-very-secret"}`), "")
	f.Add([]byte(`{"value":{"a":["hunter2"]}}`), "http://u:hunter2@a.example")
	f.Fuzz(func(t *testing.T, body []byte, url string) {
		e := &recording.Exchange{Request: recording.Request{URL: url, Body: &recording.Body{Bytes: body}}}
		clean := (&recording.Redactor{}).Redact(e, op)
		if json.Valid(body) && len(body) > 0 && !json.Valid(clean.Request.Body.Bytes) {
			t.Errorf("%q became %q", body, clean.Request.Body.Bytes)
		}
		if !json.Valid(body) {
			return
		}
		left := strings.Join(secrets(clean.Request.Body.Bytes), "\n")
		for _, secret := range secrets(body) {
			if len(secret) > 12 && strings.Contains(left, secret) {
				t.Errorf("%q is still in %q", secret, clean.Request.Body.Bytes)
			}
		}
	})
}

// secrets are the texts in all members named value of a body.
func secrets(body []byte) []string {
	var all []string
	for member := range jsontree.Parse(body).Each {
		if member.Name() == "value" {
			all = append(all, texts(member)...)
		}
	}
	return all
}

// texts are those that stand in a value, at any depth: names of members are not among them, since redaction keeps the
// shape.
func texts(value jsontree.Value) []string {
	if !value.IsObject() && !value.IsArray() {
		return []string{value.Text()}
	}
	var all []string
	for inner := range value.Each {
		all = append(all, texts(inner)...)
	}
	return all
}
