package snippet_test

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// Tests in Go pass, and are formatted. They are compiled as a package of the module that exists in an overlay alone.
func TestGoTestsPass(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on this machine")
	}
	folder, overlay := t.TempDir(), map[string]string{}
	at, err := filepath.Abs("made")
	if err != nil {
		t.Fatal(err)
	}
	all := requests(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		file := fmt.Sprintf("made%d_test.go", i)
		overlay[filepath.Join(at, file)] = filepath.Join(folder, file)
		write(t, filepath.Join(folder, file), goTest(t, name, served(t, all[name])[0]))
	}
	for i, body := range hostile() {
		file := fmt.Sprintf("hostile%d_test.go", i)
		overlay[filepath.Join(at, file)] = filepath.Join(folder, file)
		write(t, filepath.Join(folder, file), hostileGoTest(t, i, body))
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "overlay.json"), string(replace))
	binary := filepath.Join(folder, "made.test")
	for _, c := range []*exec.Cmd{
		exec.CommandContext(t.Context(), program, "test", "-c", "-vet=off", "-overlay", filepath.Join(folder, "overlay.json"),
			"-o", binary, "./made"),
		exec.CommandContext(t.Context(), binary),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// goTest returns a test for an exchange, with a name that no other has.
func goTest(t *testing.T, name string, e *recording.Exchange) string {
	t.Helper()
	text, err := snippet.GoTest(e, snippet.WithScenario("full-account"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	formatted, err := format.Source([]byte(text))
	if diff := cmp.Diff(string(formatted), text); diff != "" || err != nil {
		t.Errorf("%s: %v, (-formatted +got):\n%s", name, err, diff)
	}
	_, function, _ := strings.Cut(text, "\nfunc ")
	function, _, _ = strings.Cut(function, "(")
	return strings.ReplaceAll(text, function, function+strings.ReplaceAll(name, " ", "_"))
}

// hostileGoTest returns a test whose request arrives at a responder instead of the mock, and is the recorded one there.
func hostileGoTest(t *testing.T, number int, body string) string {
	t.Helper()
	e := &recording.Exchange{Operation: "workflow.createPool", Request: recording.Request{
		Method: "POST", URL: "http://127.0.0.1:4010/workflow/api/pools?a=`b`\"", Body: &recording.Body{Bytes: []byte(body)},
		Headers: recording.Headers{{"X-Quote", "it's `\"\\ caf\xe9"}, {"Content-Type", "text/x"}},
	}}
	text := goTest(t, fmt.Sprint("Hostile", number), e)
	check := fmt.Sprintf(`
	transport.RegisterResponder("POST", "=~.*", func(r *http.Request) (*http.Response, error) {
		got, err := io.ReadAll(r.Body)
		if want := %q; string(got) != want || err != nil {
			t.Errorf("%%v, body %%q, want %%q", err, got, want)
		}
		if got, want := r.Header.Get("X-Quote")+r.URL.Query().Get("a"), %q; got != want {
			t.Errorf("%%q, want %%q", got, want)
		}
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	})
`, body, "it's `\"\\ caf\xe9`b`\"")
	const mock = "transport := mockserver.NewTransport(t, mockserver.WithScenario(\"full-account\"))\n"
	return strings.Replace(text, mock, mock+check, 1)
}

func TestGoTest(t *testing.T) {
	t.Parallel()
	got, err := snippet.GoTest(&recording.Exchange{
		Seq: 7, Operation: "workflow.updatePool", Fault: "status=503", Request: recording.Request{
			Method: "PATCH", URL: "http://127.0.0.1:4010/workflow/api/pools/2?token=%5Bredacted%3A0badcafe%5D",
			Headers: recording.Headers{{"Authorization", "SVC1 [redacted:1a2b3c4d]"}},
			Body:    &recording.Body{Bytes: []byte(`{"name":"etl"}`)},
		},
		Response: &recording.Response{Status: 200, Body: &recording.Body{
			Bytes: []byte(`{"id":"2","createdAt":"2026-01-15T09:30:00Z","list":[1,1e999,null,true,{}],"url":"http://x/"}`),
		}},
	}, snippet.WithScenario("pool-in-use"))
	want := `package mock_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// TestWorkflowUpdatePool sends the request of exchange 7 to a mock as it begins.
// A fault changed the recorded answer: plan it before the request.
func TestWorkflowUpdatePool(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t, mockserver.WithScenario("pool-in-use"))
	// The recording hides this secret.
	key := os.Getenv("KEY")
	// The recording hides this key.
	const key2 = "1/admin"
	body := ` + "`{\"name\":\"etl\"}`" + `
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch,
		"https://workflow.svc.example/api/pools/2?token="+url.QueryEscape(key), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Add("Authorization", "SVC1 "+key2)
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, want 200: %s", response.StatusCode, answer)
	}
	var got any
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		value any
		path  []any
	}{
		{"2", []any{"id"}},
		{float64(1), []any{"list", 0}},
		{nil, []any{"list", 2}},
	} {
`
	if got, _, _ = strings.Cut(got, "\t\tvalue := got"); got != want || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}
