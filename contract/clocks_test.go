package contract_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
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
	jump  time.Duration // by which it is set after the second exchange
	noDay bool          // answers have no Date
	day   string        // the Date of all answers, if it is the same
	age   int           // seconds for which GET answers have been in a cache

	count int
}

// add records a call that takes effect so many seconds after the first one.
func (r *recorder) add(second float64, method, path, request string, status int, answer string) {
	took := time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC).Add(time.Duration(second * float64(time.Second)))
	header := [][2]string{{"Content-Type", "application/json"}}
	made := took
	if r.age > 0 && method == http.MethodGet {
		made = took.Add(-time.Duration(r.age) * time.Second)
		header = append(header, [2]string{"Age", strconv.Itoa(r.age)})
	}
	if !r.noDay {
		header = append(header, [2]string{"Date", cmp.Or(r.day, made.Format(http.TimeFormat))})
	}
	r.ahead += r.drift
	if r.count++; r.count == 3 {
		r.ahead += r.jump
	}
	fmt.Fprintf(&r.text, `{"start":%q,"end":%q,"request":{"method":%q,"url":"https://workflow.svc.example/api%s","headers":`+
		`[["Authorization","SVC1 1/a"],["Content-Type","application/json"]],"body":{"text":%q}},`+
		`"response":{"status":%d,"headers":[`, took.Add(r.ahead-10*time.Millisecond).Format(time.RFC3339Nano),
		took.Add(r.ahead+10*time.Millisecond).Format(time.RFC3339Nano), method, path, request, status)
	for i, h := range header {
		fmt.Fprintf(&r.text, `%s[%q,%q]`, strings.Repeat(",", min(i, 1)), h[0], h[1])
	}
	fmt.Fprintf(&r.text, `],"body":{"text":%q}}}`+"\n", answer)
}

// checkRecorders checks what two recorders wrote.
func checkRecorders(t *testing.T, laptop, server *recorder) *contract.Report {
	t.Helper()
	dir := t.TempDir()
	for file, r := range map[string]*recorder{"laptop.ndjson": laptop, "server.ndjson": server} {
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
	return r
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
		"one is behind, and it is too late":  {recorder{}, recorder{ahead: -time.Minute}, 50.5, report.Fail, "server.ndjson: its clock is 1m0s behind"},
		"both are ahead, and it is too late": {recorder{ahead: 2 * time.Minute}, recorder{ahead: time.Minute}, 45, report.Fail, "laptop.ndjson: its clock is 2m0s ahead"},
		"both are ahead alike":               {recorder{ahead: time.Minute}, recorder{ahead: time.Minute}, 30, "", ""},
		"they agree":                         {recorder{}, recorder{}, 50, report.Fail, ""},
		"one runs unevenly":                  {recorder{drift: time.Minute}, recorder{}, 30, "", "laptop.ndjson: its clock runs unevenly"},
		"one runs unevenly, and it is too late": {
			recorder{drift: -time.Minute}, recorder{}, 45, report.Fail, "laptop.ndjson: its clock runs unevenly",
		},
		"both run unevenly": {
			recorder{drift: time.Minute}, recorder{drift: -time.Minute}, 30, "", "server.ndjson: its clock runs unevenly",
		},
		"one is set back on the way":  {recorder{jump: -90 * time.Second}, recorder{}, 30, "", "laptop.ndjson: its clock runs unevenly"},
		"one is set ahead on the way": {recorder{jump: time.Hour}, recorder{}, 50, report.Fail, "laptop.ndjson: its clock runs unevenly"},
		"one is set, and the other one is ahead": {
			recorder{jump: time.Hour}, recorder{ahead: 61 * time.Second}, 30, "", "server.ndjson: its clock is 1m1s ahead of",
		},
		"one has answers of a cache":           {recorder{}, recorder{age: 300}, 30, "", ""},
		"one has answers of a cache, too late": {recorder{age: 300}, recorder{}, 50, report.Fail, ""},
		"one is ahead, and behind a cache":     {recorder{}, recorder{ahead: 90 * time.Second, age: 40}, 30, "", "server.ndjson: its clock is 1m30s ahead of"},
		"all Dates of one are the same":        {recorder{day: "Mon, 04 May 2026 01:00:00 GMT"}, recorder{}, 50, report.Fail, ""},
		"Dates of one are in no form":          {recorder{day: "yesterday"}, recorder{}, 50, report.Fail, ""},
		"one is half a second ahead":           {recorder{}, recorder{ahead: 500 * time.Millisecond}, 50, report.Fail, ""},
		"nothing shows the service's":          {recorder{noDay: true}, recorder{noDay: true, ahead: 90 * time.Second}, 30, report.Fail, ""},
	} {
		tt.laptop.text, tt.server.text = strings.Builder{}, strings.Builder{}
		laptop, server := tt.laptop, tt.server
		laptop.add(10, "POST", "/pools", `{"name":"p","concurrencyLimit":2}`, 201, pool)
		laptop.add(15.5, "GET", "/pool_rules", "", 200, `{"poolRules":[]}`)
		laptop.add(20.3, "POST", "/pool_rules", `{"priority":5,"poolId":"4"}`, 201, rule)
		server.add(tt.ruleGone-0.7, "GET", "/pools", "", 200, `{"pools":[`+pool+`]}`)
		server.add(tt.ruleGone, "DELETE", "/pool_rules/3", "", 200, rule)
		laptop.add(40, "DELETE", "/pools/4", "", 200, pool)
		r := checkRecorders(t, &laptop, &server)
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

// The Dates of answers are whole seconds: within these the order of what two recorders saw is not known, however far
// their clocks are apart.
func TestOrderWithinASecondIsNotKnownOfClocksThatDisagree(t *testing.T) {
	t.Parallel()
	const pool = `{"id":"4","name":"p","concurrencyLimit":2,"default":false}`
	for name, tt := range map[string]struct {
		laptop, server recorder
		reads          float64 // when the server reads the pool that the laptop makes at 10.05 and deletes at 40.95
		want           report.Verdict
	}{
		"ahead, at the beginning":        {recorder{}, recorder{ahead: 90 * time.Second}, 10.2, ""},
		"far ahead, at the beginning":    {recorder{}, recorder{ahead: 3 * time.Hour}, 10.15, ""},
		"behind, at the end":             {recorder{}, recorder{ahead: -90 * time.Second}, 40.8, ""},
		"a little behind, at the end":    {recorder{}, recorder{ahead: -5 * time.Second}, 40.7, ""},
		"the other one ahead":            {recorder{ahead: time.Hour}, recorder{}, 40.8, ""},
		"both ahead":                     {recorder{ahead: time.Hour}, recorder{ahead: time.Minute}, 10.2, ""},
		"one that runs unevenly":         {recorder{drift: time.Minute}, recorder{}, 40.8, ""},
		"ahead, and clearly too late":    {recorder{}, recorder{ahead: 90 * time.Second}, 43.5, report.Fail},
		"behind, and clearly too late":   {recorder{ahead: -time.Hour}, recorder{}, 43.5, report.Fail},
		"unevenly, and clearly too late": {recorder{drift: time.Minute}, recorder{}, 43.5, report.Fail},
	} {
		tt.laptop.text, tt.server.text = strings.Builder{}, strings.Builder{}
		laptop, server := tt.laptop, tt.server
		laptop.add(10.05, "POST", "/pools", `{"name":"p","concurrencyLimit":2}`, 201, pool)
		laptop.add(20.3, "GET", "/pools/4", "", 200, pool)
		laptop.add(40.95, "DELETE", "/pools/4", "", 200, pool)
		server.add(25, "GET", "/pools/4", "", 200, pool)
		server.add(tt.reads, "GET", "/pools/4", "", 200, pool)
		r := checkRecorders(t, &laptop, &server)
		var got report.Verdict
		for _, f := range r.Findings {
			if f.Verdict == report.Fail {
				got = f.Verdict
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q: %+v", name, got, tt.want, r.Findings)
		}
	}
}
