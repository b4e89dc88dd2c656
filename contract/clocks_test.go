package contract_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
)

// recorder writes a recording by a clock of its own.
type recorder struct {
	text  strings.Builder
	ahead time.Duration
	drift time.Duration // by exchange
	noDay bool          // answers have no Date
}

// take records a call that takes effect so many seconds after the first one.
func (r *recorder) take(second float64, method, path, request string, status int, answer string) {
	took := time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC).Add(time.Duration(second * float64(time.Second)))
	header := [][2]string{{"Content-Type", "application/json"}}
	if !r.noDay {
		header = append(header, [2]string{"Date", took.Format(http.TimeFormat)})
	}
	r.ahead += r.drift
	fmt.Fprintf(&r.text, `{"start":%q,"end":%q,"request":{"method":%q,"url":"https://workflow.svc.example/api%s","headers":`+
		`[["Authorization","SVC1 1/a"],["Content-Type","application/json"]],"body":{"text":%q}},`+
		`"response":{"status":%d,"headers":[`, took.Add(r.ahead-10*time.Millisecond).Format(time.RFC3339Nano),
		took.Add(r.ahead+10*time.Millisecond).Format(time.RFC3339Nano), method, path, request, status)
	for i, h := range header {
		fmt.Fprintf(&r.text, `%s[%q,%q]`, strings.Repeat(",", min(i, 1)), h[0], h[1])
	}
	fmt.Fprintf(&r.text, `],"body":{"text":%q}}}`+"\n", answer)
}

// Recorders whose clocks disagree are put in order by the service's, where answers show it.
func TestClocksThatDisagree(t *testing.T) {
	t.Parallel()
	const (
		pool = `{"id":"4","name":"p","concurrencyLimit":2,"default":false}`
		rule = `{"id":"3","priority":5,"poolId":"4","conditions":[{"type":"project_name","operator":"starts_with","values":["a"]}]}`
	)
	for name, tt := range map[string]struct {
		laptop, server recorder
		ruleGone       float64 // when the server deletes the pool's rule; the laptop deletes the pool at 40
		want           report.Verdict
		note           string
	}{
		"one is ahead":                       {recorder{}, recorder{ahead: 90 * time.Second}, 30.2, "", "server.ndjson: its clock is 1m30s ahead of"},
		"one is behind":                      {recorder{}, recorder{ahead: -time.Hour}, 30.7, "", "server.ndjson: its clock is 1h0m0s behind"},
		"the other one is ahead":             {recorder{ahead: 61 * time.Second}, recorder{}, 30, "", "laptop.ndjson: its clock is 1m1s ahead of"},
		"one is behind, and it is too late":  {recorder{}, recorder{ahead: -time.Minute}, 50.5, report.Fail, "server.ndjson: its clock is 59s behind"},
		"both are ahead, and it is too late": {recorder{ahead: 2 * time.Minute}, recorder{ahead: time.Minute}, 45, report.Fail, "laptop.ndjson: its clock is 2m0s ahead"},
		"both are ahead alike":               {recorder{ahead: time.Minute}, recorder{ahead: time.Minute}, 30, "", ""},
		"they agree":                         {recorder{}, recorder{}, 50, report.Fail, ""},
		"one runs unevenly, as it is":        {recorder{drift: time.Minute}, recorder{}, 30, report.Fail, ""},
		"nothing shows the service's":        {recorder{noDay: true}, recorder{noDay: true, ahead: 90 * time.Second}, 30, report.Fail, ""},
	} {
		tt.laptop.text, tt.server.text = strings.Builder{}, strings.Builder{}
		laptop, server := tt.laptop, tt.server
		laptop.take(10, "POST", "/pools", `{"name":"p","concurrencyLimit":2}`, 201, pool)
		laptop.take(15.5, "GET", "/pool_rules", "", 200, `{"poolRules":[]}`)
		laptop.take(20.3, "POST", "/pool_rules", `{"priority":5,"poolId":"4"}`, 201, rule)
		server.take(tt.ruleGone-0.7, "GET", "/pools", "", 200, `{"pools":[`+pool+`]}`)
		server.take(tt.ruleGone, "DELETE", "/pool_rules/3", "", 200, rule)
		laptop.take(40, "DELETE", "/pools/4", "", 200, pool)
		dir := t.TempDir()
		for file, r := range map[string]*recorder{"laptop.ndjson": &laptop, "server.ndjson": &server} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(r.text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		checker, err := contract.NewChecker()
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Check(t.Context(), contract.Files(dir))
		if err != nil {
			t.Fatal(err)
		}
		var got report.Verdict
		for _, f := range r.Findings {
			if f.Rule == "pool-deletion" {
				got = f.Verdict
			}
		}
		notes := strings.Join(r.Notes, "\n")
		if got != tt.want || tt.note == "" && strings.Contains(notes, "clock") || !strings.Contains(notes, tt.note) {
			t.Errorf("%s: %q, want %q; notes: %s", name, got, tt.want, notes)
		}
	}
}
