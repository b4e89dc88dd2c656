package rule_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// script is a recording in short, one exchange a line: an interval in seconds, if it matters, as in 3-5; @ and a key,
// if it is not the usual one, or @none, or @hidden for one that a recorder hid, or @whole when it hid its scheme, too;
// method and path, which begins with core:, ingestion:, dwh: or llm: when it is not of the workflow interface; the body
// of the request, if any; after => the status and the body of the answer. {pool …} and the like stand for the bodies
// of resources.
func script(t *testing.T, text string) []*recording.Exchange {
	t.Helper()
	var list []*recording.Exchange
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		list = append(list, exchange(t, line, len(list)+1))
	}
	return list
}

var epoch = time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC)

func exchange(t *testing.T, line string, n int) *recording.Exchange {
	t.Helper()
	question, answer, ok := strings.Cut(line, " => ")
	words := strings.SplitN(question, " ", 3)
	from, to := n, n
	if a, b, isTimed := strings.Cut(words[0], "-"); isTimed {
		from, _ = strconv.Atoi(a)
		to, _ = strconv.Atoi(b)
		words = strings.SplitN(strings.TrimPrefix(question, words[0]+" "), " ", 3)
	}
	key := "1/key"
	if strings.HasPrefix(words[0], "@") {
		key = words[0][1:]
		words = strings.SplitN(words[1]+" "+strings.Join(words[2:], " "), " ", 3)
	}
	if words[len(words)-1] == "" {
		words = words[:len(words)-1]
	}
	if !ok || len(words) < 2 {
		t.Fatalf("line %q", line)
	}
	json := [2]string{"Content-Type", "application/json"}
	e := &recording.Exchange{
		Start: epoch.Add(time.Duration(from) * time.Second), End: epoch.Add(time.Duration(to) * time.Second),
		Request: recording.Request{Method: words[0], URL: address(words[1]), Headers: recording.Headers{json}},
	}
	switch key {
	case "none":
	case "whole":
		e.Request.Headers = append(e.Request.Headers, [2]string{"Authorization", "REDACTED"})
	case "hidden":
		e.Request.Headers = append(e.Request.Headers, [2]string{"Authorization", "SVC1 REDACTED"})
	default:
		e.Request.Headers = append(e.Request.Headers, [2]string{"Authorization", "SVC1 " + key})
	}
	if len(words) == 3 {
		e.Request.Body = &recording.Body{Bytes: []byte(expand(words[2]))}
	}
	status, body, _ := strings.Cut(answer, " ")
	code, _ := strconv.Atoi(status)
	if code == 0 {
		return e
	}
	e.Response = &recording.Response{Status: code, Headers: recording.Headers{json}}
	if body == "" {
		body = fmt.Sprintf(`{"message":"m","status":%d}`, code)
	}
	if body == "cut" {
		e.Response.Body = &recording.Body{Truncated: true}
		return e
	}
	if code != 204 {
		e.Response.Body = &recording.Body{Bytes: []byte(expand(body))}
	}
	return e
}

// address returns the URL of a path of the script.
func address(path string) string {
	for prefix, base := range map[string]string{
		"core:": "https://core.svc.example/v3", "ingestion:": "https://ingestion.svc.example",
		"dwh:": "https://dwh.svc.example/v1/dwh", "llm:": "https://llm.svc.example/api",
		"shop:": "https://shop.example",
	} {
		if rest, found := strings.CutPrefix(path, prefix); found {
			return base + rest
		}
	}
	return "https://workflow.svc.example/api" + path
}

// expand writes {kind word…} out, innermost first.
func expand(text string) string {
	for _, kind := range []string{
		"pool", "default", "rule", "attempt", "project", "task", "token", "sub", "job",
		"deleted", "table", "base", "group", "dwh", "plan", "res",
	} {
		for {
			before, after, found := strings.Cut(text, "{"+kind+" ")
			if !found {
				break
			}
			inner, rest, _ := strings.Cut(after, "}")
			text = before + resource(kind, strings.Fields(inner)) + rest
		}
	}
	return text
}

func resource(kind string, w []string) string {
	switch kind {
	case "pool", "default": // id limit
		return fmt.Sprintf(`{"id":"%s","name":"p%[1]s","concurrencyLimit":%s,"default":%t}`, w[0], w[1], kind == "default")
	case "rule": // id priority pool, then a condition as type=values
		conditions := []string{}
		for _, c := range w[3:] {
			name, values, _ := strings.Cut(c, "=")
			operator := ""
			if strings.HasSuffix(name, "_name") {
				operator = `"operator":"starts_with",`
			}
			conditions = append(conditions, fmt.Sprintf(`{"type":%q,%s"values":["%s"]}`, name, operator,
				strings.ReplaceAll(values, ",", `","`)))
		}
		return fmt.Sprintf(`{"id":"%s","priority":%s,"poolId":"%s","conditions":[%s]}`, w[0], w[1], w[2],
			strings.Join(conditions, ","))
	case "attempt": // id session index retry pool status
		retry, finished := `"`+w[3]+`"`, "null"
		if w[3] == "-" {
			retry = "null"
		}
		done := slices.Contains([]string{"success", "error", "killed"}, w[5])
		if done {
			finished = fmt.Sprintf("%q", epoch.Format(time.RFC3339))
		}
		if len(w) > 6 { // seconds after the epoch
			n, _ := strconv.Atoi(w[6])
			finished = fmt.Sprintf("%q", epoch.Add(time.Duration(n)*time.Second).Format(time.RFC3339))
		}
		return fmt.Sprintf(`{"id":"%s","sessionId":"%s","index":%s,"retryAttemptName":%s,"poolId":"%s","status":"%s",`+
			`"done":%t,"success":%t,"cancelRequested":false,"params":{},"createdAt":"2026-05-04T00:00:00Z","finishedAt":%s,`+
			`"sessionTime":"2026-05-04T00:00:00+00:00","sessionUuid":"5a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b3",`+
			`"project":{"id":"101","name":"shop"},"workflow":{"id":"2101","name":"daily"}}`,
			w[0], w[1], w[2], retry, w[4], w[5], done, w[5] == "success", finished)
	case "token": // id user client
		return fmt.Sprintf(`{"id":%s,"user_id":%q,"oauth_client_id":%q}`, w[0], w[1], w[2])
	case "sub": // id name
		return fmt.Sprintf(`{"id":%s,"name":%q,"parent_user_id":1}`, w[0], w[1])
	case "job": // id user
		return fmt.Sprintf(`{"job_id":"%s","user_name":%q}`, w[0], w[1])
	case "deleted": // id database name
		return fmt.Sprintf(`{"id":%s,"database_name":%q,"name":%q,"database_id":11}`, w[0], w[1], w[2])
	case "table": // name id, then when it was made, in seconds after the epoch
		at := epoch.Truncate(24 * time.Hour)
		if len(w) > 2 {
			n, _ := strconv.Atoi(w[2])
			at = epoch.Add(time.Duration(n) * time.Second)
		}
		return fmt.Sprintf(`{"name":%q,"id":%s,"created_at":%q}`, w[0], w[1], at.Format("2006-01-02 15:04:05 UTC"))
	case "base": // name, then when it was made, in minutes of the day
		at := epoch.Truncate(24 * time.Hour)
		if len(w) > 1 {
			n, _ := strconv.Atoi(w[1])
			at = at.Add(time.Duration(n) * time.Minute)
		}
		return fmt.Sprintf(`{"name":%q,"created_at":%q}`, w[0], at.Format("2006-01-02 15:04:05 -0700"))
	case "dwh": // id, then its workflow project, if it shows that
		if len(w) == 1 {
			return fmt.Sprintf(`{"id":%s,"name":"n"}`, w[0])
		}
		return fmt.Sprintf(`{"id":%s,"name":"n","workflow_project_id":%s,"workflow_project_name":"dwh_n"}`, w[0], w[1])
	case "plan": // id project
		return fmt.Sprintf(`{"id":"%s","project":{"id":"%s","name":"n"},"workflow":{"id":"5","name":"w"}}`, w[0], w[1])
	case "res": // type id, then attributes as name=value
		attributes := []string{}
		for _, a := range w[2:] {
			name, value, _ := strings.Cut(a, "=")
			attributes = append(attributes, fmt.Sprintf("%q:%q", name, value))
		}
		return fmt.Sprintf(`{"id":%q,"type":%q,"attributes":{%s}}`, w[1], w[0], strings.Join(attributes, ","))
	case "group": // id taggable name
		return fmt.Sprintf(`{"id":%s,"taggable_name":%q,"name":"n"}`, w[0], w[1])
	case "project": // id
		return fmt.Sprintf(`{"id":"%s","name":"n%[1]s","revision":"r","archiveType":"db","createdAt":"2026-05-04T00:00:00Z",`+
			`"updatedAt":"2026-05-04T00:00:00Z"}`, w[0])
	}
	// task: id name state
	return fmt.Sprintf(`{"id":"%s","fullName":"%s","state":"%s","group":false,"cancelRequested":false,"config":{},`+
		`"upstreams":[],"exportParams":{},"storeParams":{},"stateParams":{},"error":{},"updatedAt":"2026-05-04T00:00:00Z"}`,
		w[0], w[1], w[2])
}

// checkers is one for all tests: it takes its time to load the documents.
var checkers = sync.OnceValues(func() (*contract.Checker, error) { return contract.NewChecker(poolsWithinAnHour) })

var poolsWithinAnHour = contract.WithLatency(map[string]time.Duration{"workflow.listPools": time.Hour})

func checker(t *testing.T) *contract.Checker {
	t.Helper()
	c, err := checkers()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// verdicts lists what a rule said, with evidence: "fail 2 3 4"; passes are counted first, as in "pass ×2".
func verdicts(t *testing.T, id string, exchanges []*recording.Exchange) ([]string, *contract.Report) {
	t.Helper()
	r, err := checker(t).Check(t.Context(), contract.Exchanges(slices.Values(exchanges)))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, rule := range r.Rules {
		if rule.ID == id && rule.Pass > 0 {
			list = append(list, fmt.Sprintf("pass ×%d", rule.Pass))
		}
	}
	for _, f := range r.Findings {
		if f.Rule == id {
			list = append(list, strings.Trim(fmt.Sprintf("%s %v", f.Verdict, f.Evidence), "]"))
		}
	}
	return list, r
}

type ruleCase struct {
	script string
	want   []string
}

func runRule(t *testing.T, id string, cases map[string]ruleCase) {
	t.Helper()
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchanges := script(t, tt.script)
			got, r := verdicts(t, id, exchanges)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "[", "")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				var text strings.Builder
				_ = r.WriteText(&text)
				t.Errorf("verdicts (-want +got):\n%s\n%s", diff, text.String())
			}
			isAsSure(t, id, r)
			cutStillViolates(t, id, exchanges, r)
		})
	}
}
