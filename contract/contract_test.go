package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

func checker(tb testing.TB, opts ...contract.Option) *contract.Checker {
	tb.Helper()
	c, err := contract.NewChecker(append([]contract.Option{contract.WithEngine(libopenapi.New())}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func checked(tb testing.TB, source contract.Source, opts ...contract.Option) *contract.Report {
	tb.Helper()
	r, err := checker(tb, opts...).Check(tb.Context(), source)
	if err != nil && !errors.Is(err, contract.ErrNothingJudged) {
		tb.Fatal(err)
	}
	return r
}

// The life of a pool: list, create, reference, refused deletion, rule deleted, deletion.
func TestPools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failed   bool
		evidence []int
		verdict  report.Verdict
	}{
		"pools":               {false, []int{2, 6}, report.Inconclusive},
		"pools-frozen":        {false, []int{2, 6}, report.Inconclusive},
		"pools-broken":        {true, []int{2, 3, 4}, report.Fail},
		"pools-frozen-broken": {true, []int{2, 3, 4}, report.Fail},
		"pools-broken-cut":    {false, []int{2, 3}, report.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checked(t, contract.Files("testdata/"+name+".ndjson"))
			if r.Failed() != tt.failed || len(r.Findings) != 1 {
				t.Fatalf("failed: %t, findings: %+v", r.Failed(), r.Findings)
			}
			f := r.Findings[0]
			if f.Rule != "pool-deletion" || f.Verdict != tt.verdict || !slices.Equal(f.Evidence, tt.evidence) {
				t.Errorf("finding %+v", f)
			}
		})
	}
}

func TestReportsAreStable(t *testing.T) {
	t.Parallel()
	r := checked(t, contract.Files("testdata/pools-broken.ndjson"))
	var text, wire bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteJSON(&wire)); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/pools-broken.txt", text.Bytes())
	golden(t, "testdata/pools-broken.json", wire.Bytes())
}

var lineNumber = regexp.MustCompile(`workflow\.yaml:\d+|"line": \d{3,}`)

// golden compares without the lines of the document, which move when it is edited.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	got = lineNumber.ReplaceAll(got, []byte("workflow.yaml:N"))
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got, UPDATE=1 writes it anew):\n%s", path, diff)
	}
}

func TestTheJSONReportFitsItsSchema(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///report.json", strings.NewReader(report.JSONSchema)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///report.json")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, source := range append(slices.Collect(sourcesOf(files)), hostile(t)) {
		r, _ := checker(t).Check(t.Context(), source)
		var wire bytes.Buffer
		if err := r.WriteJSON(&wire); err != nil {
			t.Fatal(err)
		}
		var value any
		d := json.NewDecoder(&wire)
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%#v", err)
		}
	}
}

func sourcesOf(files []string) func(func(contract.Source) bool) {
	return func(yield func(contract.Source) bool) {
		for _, file := range files {
			if !yield(contract.Files(file)) {
				return
			}
		}
	}
}

// hostile returns a recording with something of everything.
func hostile(t *testing.T) contract.Source {
	t.Helper()
	var list []*recording.Exchange
	add := func(method, url string, status int, request, response string, headers ...string) {
		e := &recording.Exchange{Request: recording.Request{
			Method: method, URL: url,
			Headers: recording.Headers{{"Content-Type", "application/json"}},
		}}
		for i := 0; i+1 < len(headers); i += 2 {
			e.Request.Headers = append(e.Request.Headers, [2]string{headers[i], headers[i+1]})
		}
		if request != "" {
			e.Request.Body = &recording.Body{Bytes: []byte(request)}
		}
		if status > 0 {
			e.Response = &recording.Response{Status: status, Headers: recording.Headers{{"Content-Type", "application/json"}}}
			if response != "" {
				e.Response.Body = &recording.Body{Bytes: []byte(response)}
			}
		}
		list = append(list, e)
	}
	const base = "https://workflow.svc.example"
	add("GET", base+"/api/pools", 200, "", `{"pools":[{"id":1}],"more":1}`)
	add("GET", base+"/api/pools?x=1", 200, "", `{"pools":`, "Authorization", "Bearer x")
	add("GET", base+"/api/pools", 0, "", "")
	add("GET", base+"/api/pools", 418, "", `{}`, "Authorization", "SVC1 1/key")
	add("POST", base+"/api/pools", 201, `{"name":""}`, "")
	add("PUT", base+"/api/pools", 200, `{}`, `{}`)
	add("GET", "https://elsewhere.example/", 200, "", `{}`)
	add("OPTIONS", base+"/api/pools", 204, "", "", "Access-Control-Request-Method", "GET")
	add("GET", "http://localhost/_understudy/health", 200, "", `{}`)
	add("GET", "http://localhost:1/_worlds/w/workflow/api/pools/x", 404, "", `{"message":"m","status":404}`)
	add("GET", "::", 200, "", "")
	return contract.Exchanges(slices.Values(list))
}

// Every check has one verdict, every exchange one owner, and every chance of a rule one outcome.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, opts := range [][]contract.Option{
		nil,
		{contract.WithoutRules("schema")},
		{contract.WithRules("pool-deletion")},
	} {
		for _, source := range append(slices.Collect(sourcesOf(files)), hostile(t)) {
			r, _ := checker(t, opts...).Check(t.Context(), source)
			all, _ := checker(t).Check(t.Context(), source)
			sum := func(c report.Checks) int { return c.Pass + c.Fail + c.Inconclusive + c.Skipped }
			if sum(r.Checks) != sum(all.Checks) {
				t.Errorf("%+v and %+v are different numbers of checks", r.Checks, all.Checks)
			}
			var pass, fail, inconclusive int
			for _, rule := range r.Rules {
				if rule.Triggered != rule.Pass+rule.Fail+rule.Inconclusive {
					t.Errorf("%+v", rule)
				}
				pass, fail, inconclusive = pass+rule.Pass, fail+rule.Fail, inconclusive+rule.Inconclusive
			}
			if pass != r.Checks.Pass || fail != r.Checks.Fail || inconclusive != r.Checks.Inconclusive {
				t.Errorf("rules have %d %d %d, checks %+v", pass, fail, inconclusive, r.Checks)
			}
			x := r.Exchanges
			if x.Read != x.Matched+x.Unmatched+x.Ignored {
				t.Errorf("%+v", x)
			}
			for _, f := range r.Findings {
				for _, n := range f.Evidence {
					if _, ok := r.Shown[n]; !ok {
						t.Errorf("exchange %d of %+v is not shown", n, f)
					}
				}
			}
		}
	}
}

func TestNothingMatchedIsNeverGreen(t *testing.T) {
	t.Parallel()
	for _, source := range []contract.Source{
		contract.Read("empty", strings.NewReader("")),
		contract.Read("other", strings.NewReader(`{"request":{"method":"GET","url":"https://elsewhere.example/"}}`+"\n")),
		contract.Read("control",
			strings.NewReader(`{"request":{"method":"GET","url":"http://localhost/_understudy/health"}}`+"\n")),
	} {
		if _, err := checker(t).Check(t.Context(), source); !errors.Is(err, contract.ErrNothingMatched) {
			t.Errorf("error %v", err)
		}
	}
}

func TestABadLineIsAnErrorAndTheRestIsChecked(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("testdata/pools.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker(t).Check(t.Context(), contract.Read("r", strings.NewReader("{\"seq\":1}\n"+string(good))))
	if err == nil || !strings.Contains(err.Error(), "r:1 ") || r.Exchanges.Matched != 6 {
		t.Errorf("error %v, exchanges %+v", err, r.Exchanges)
	}
	r, err = checker(t).Check(t.Context(), contract.Read("r", bytes.NewReader(good[:len(good)-9])))
	if err != nil || len(r.Notes) != 1 || r.Exchanges.Matched != 5 {
		t.Errorf("error %v, notes %q, exchanges %+v", err, r.Notes, r.Exchanges)
	}
}

func TestACancelledCheckSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checker(t).Check(ctx, contract.Files("testdata/pools.ndjson")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	for want, opt := range map[string]contract.Option{
		`unknown trust "high"`:    contract.WithTrust("high"),
		`unknown rule "schemas"`:  contract.WithRules("schemas"),
		`base of "flow"`:          contract.WithBaseURL("flow", "http://localhost"),
		`is not an absolute URL`:  contract.WithBaseURL("workflow", "localhost"),
		`document of flow`:        contract.WithSpec("flow", "x"),
		`cannot be called "Flow"`: contract.WithSpec("Flow", "x"),
		`no such file`:            contract.WithSpec("workflow", "testdata/none.yaml"),
	} {
		if _, err := contract.NewChecker(opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What one rule finds in one exchange is listed in the order of its places, as in the JSON report, not of fingerprints.
func TestFindingsAreInTheOrderOfPlaces(t *testing.T) {
	t.Parallel()
	const line = `{"request":{"method":"GET","url":"https://workflow.svc.example/api/pools/1","headers":[["Authorization","SVC1 1/a"]]},` +
		`"response":{"status":200,"headers":[["Content-Type","application/json"]],"body":{"text":"{}"}}}`
	r := checked(t, contract.Read("empty", strings.NewReader(line)))
	var places []string
	for _, g := range r.Groups {
		places = append(places, strings.TrimPrefix(g.Pointer, "/response/body/"))
	}
	if diff := cmp.Diff([]string{"concurrencyLimit", "default", "id", "name"}, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
