package contract_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// What a missing Authorization header means depends on the rest of the recording.
func TestCredentials(t *testing.T) {
	t.Parallel()
	exchange := func(key string) *recording.Exchange {
		e := &recording.Exchange{
			Request: recording.Request{Method: "GET", URL: "https://workflow.svc.example/api/pool_rules"},
			Response: &recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: []byte(`{"poolRules":[]}`)},
			},
		}
		if key != "" {
			e.Request.Headers = recording.Headers{{"Authorization", key}}
		}
		return e
	}
	for name, tt := range map[string]struct {
		keys []string
		want report.Rule
	}{
		"all have them":  {[]string{"SVC1 1/a", "SVC1 1/b"}, report.Rule{Triggered: 2, Pass: 2}},
		"none has them":  {[]string{"", "", "", "", "", "", ""}, report.Rule{Triggered: 7, Inconclusive: 7}},
		"one lacks them": {[]string{"", "SVC1 1/a"}, report.Rule{Triggered: 2, Pass: 1, Fail: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []*recording.Exchange
			for _, key := range tt.keys {
				list = append(list, exchange(key))
			}
			r := checked(t, contract.Exchanges(slices.Values(list)))
			i := slices.IndexFunc(r.Rules, func(r report.Rule) bool { return r.ID == "auth-scheme" })
			tt.want.ID = "auth-scheme"
			if diff := cmp.Diff(tt.want, r.Rules[i]); diff != "" {
				t.Errorf("rule (-want +got):\n%s", diff)
			}
		})
	}
}

// The scheme is the same on every interface, of events as well, which are answered before anybody looks at their key.
func TestSchemes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method, url, key string
		status           int
		want             report.Rule
	}{
		"documented": {
			"GET", "https://core.svc.example/v3/database/list", "SVC1 1/a", 200,
			report.Rule{Triggered: 1, Pass: 1},
		},
		"another, accepted": {
			"GET", "https://core.svc.example/v3/database/list", "Bearer 1/a", 200,
			report.Rule{Triggered: 1, Fail: 1},
		},
		"another, refused": {
			"GET", "https://core.svc.example/v3/database/list", "Bearer 1/a", 401,
			report.Rule{Triggered: 1, Pass: 1},
		},
		"none, accepted": {
			"GET", "https://workflow.svc.example/api/projects", "1/a", 200,
			report.Rule{Triggered: 1, Fail: 1},
		},
		"redacted, with scheme": {
			"GET", "https://core.svc.example/v3/database/list", "SVC1 [redacted:01abcdef]", 200,
			report.Rule{Triggered: 1, Pass: 1},
		},
		"redacted whole": {
			"GET", "https://core.svc.example/v3/database/list", "REDACTED", 200,
			report.Rule{Triggered: 1, Inconclusive: 1},
		},
		"of an event": {
			"POST", "https://ingestion.svc.example/postback/v3/event/shop/orders", "Bearer 1/a", 200,
			report.Rule{Triggered: 1, Fail: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &recording.Exchange{
				Request: recording.Request{
					Method: tt.method, URL: tt.url, Headers: recording.Headers{{"Authorization", tt.key}},
				},
				Response: &recording.Response{Status: tt.status},
			}
			r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})))
			i := slices.IndexFunc(r.Rules, func(r report.Rule) bool { return r.ID == "auth-scheme" })
			tt.want.ID = "auth-scheme"
			if diff := cmp.Diff(tt.want, r.Rules[i]); diff != "" {
				t.Errorf("rule (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoSecretLeavesInAReport(t *testing.T) {
	t.Parallel()
	const secret = "geheim-42"
	list := []*recording.Exchange{{
		Request: recording.Request{
			Method: "PUT", URL: "https://u:" + secret + "@workflow.svc.example/api/projects/1/secrets/k?api_key=" + secret,
			Headers: recording.Headers{{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}},
			Body:    &recording.Body{Bytes: []byte(`{"value":["` + secret + `"],"x":"` + secret + `"}`)},
		},
		Response: &recording.Response{Status: 204},
	}}
	list = append(list, &recording.Exchange{
		Request: recording.Request{
			Method: "POST", URL: "https://core.svc.example/v3/export/run/shop/orders?secret_access_key=" + secret +
				"&file_format=csv",
			Headers: recording.Headers{
				{"Authorization", "SVC1 " + secret},
				{"Content-Type", "application/x-www-form-urlencoded"},
			},
			Body: &recording.Body{Bytes: []byte("access_key_id=" + secret + "&to=soon")},
		},
		Response: &recording.Response{Status: 418},
	})
	r := checked(t, contract.Exchanges(slices.Values(list)))
	var out bytes.Buffer
	if err := errors.Join(r.WriteText(&out), r.WriteJSON(&out)); err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) < 5 || strings.Contains(out.String(), secret) {
		t.Errorf("%d findings, and in the report:\n%s", len(r.Findings), out.String())
	}
}

// Files are one history where their times and numbers fit together.
func TestHistoriesGoOnInOtherFiles(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/pools-broken.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	times := regexp.MustCompile(`"(start|end)": ?"[^"]*", ?`)
	worlds := regexp.MustCompile(`"(seq|world)": ?[^,]*, ?`)
	for name, tt := range map[string]struct {
		edit func(file int, line string) string
		want bool
	}{
		"a mock's, with numbers that go on": {func(_ int, line string) string { return line }, true},
		"a mock's, the later file first":    {func(_ int, line string) string { return line }, true},
		"a mock's, with numbers from 1 again": {func(file int, line string) string {
			if file == 1 {
				return strings.Replace(line, `"seq": 4`, `"seq": 1`, 1)
			}
			return line
		}, false},
		"any other, with times": {func(_ int, line string) string { return worlds.ReplaceAllString(line, "") }, true},
		"without times": {func(_ int, line string) string {
			return times.ReplaceAllString(worlds.ReplaceAllString(line, ""), "")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files [2]strings.Builder
			for i, line := range strings.SplitAfter(string(data), "\n") {
				if file := min(i/3, 1); line != "" {
					files[file].WriteString(tt.edit(file, line))
				}
			}
			dir := t.TempDir()
			paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
			for i, path := range paths {
				if err := os.WriteFile(path, []byte(files[i].String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(name, "first") {
				slices.Reverse(paths)
			}
			if r := checked(t, contract.Files(paths...)); r.Failed() != tt.want {
				t.Errorf("findings %+v", r.Findings)
			}
		})
	}
}

// What is known of a world ends where its state is replaced, where another server answers, and where clock and sequence
// contradict each other.
func TestHistoriesEnd(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/pools-broken.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	control := `{"request":{"method":"POST","url":"http://127.0.0.1:4010/_understudy/worlds/default/reset"},"response":{"status":204}}` + "\n"
	for name, edit := range map[string]func(lines []string) string{
		"reset": func(l []string) string { return strings.Join(slices.Insert(l, 3, control), "") },
		"another server": func(l []string) string {
			l[3] = strings.Replace(l[3], ":4010", ":4011", 1)
			return strings.Join(l,
				"")
		},
		"another world": func(l []string) string {
			l[3] = strings.Replace(l[3], `"default"`, `"other"`, 1)
			return strings.Join(l, "")
		},
		"a clock set back": func(l []string) string {
			l[3] = strings.ReplaceAll(l[3], "T01:", "T00:")
			return strings.Join(l,
				"")
		},
		"sequence anew": func(l []string) string {
			l[3] = strings.Replace(l[3], `"seq": 4`, `"seq": 1`, 1)
			return strings.Join(l, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := edit(strings.SplitAfter(string(data), "\n"))
			if text == string(data) {
				t.Fatal("nothing was edited")
			}
			r := checked(t, contract.Read(name, strings.NewReader(text)))
			if r.Failed() {
				t.Errorf("findings %+v", r.Findings)
			}
		})
	}
}
