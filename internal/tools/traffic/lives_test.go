package main

import (
	"strings"
	"testing"
	"time"
)

// TestTextsOfLives reads lives that cannot be understood, and says what is wrong with them.
func TestTextsOfLives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"a response without a request", "== x\n=> 200 {}", "want a request before"},
		{"a request without a response", "== x\nGET core:/v3/job/list", "want a line => with the status"},
		{"a status that is no number", "== x\nGET core:/v3/job/list\n=> ok", "invalid syntax"},
		{"an unknown placeholder", "== x\nGET core:/v3/job/show/<job>\n=> 200 {}", "<job>"},
		{"too many ids", "== x\nGET core:/v3/job/show/<id50>\n=> 200 {}", "want a number below 50"},
		{"a line that begins with no sign", "== x\nGET core:/v3/job/list\n=200", "want >, <, ~ or =>"},
		{"bytes that are not base64", "== x\nGET core:/v3/job/list\n=> 200 base64:***", "illegal base64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := parseLives(tt.text, NDJSON); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestPlaceholdersStandForWhatIsTheLifesOwn(t *testing.T) {
	t.Parallel()
	lives, err := parseLives(`== x
@<s> POST core:/<a>/<id1> {"a":"<uuid2>","b":"<time-60s>Z","c":"<date+60s>","d":<unix>}
=> 204`, NDJSON)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	x := instance{account: 7, life: 3, born: at, start: at.Add(time.Second), took: 250, seq: 9}
	got := string(lives[0].steps[0].append(nil, &x))
	for _, want := range []string{
		`"seq":9,`, `"start":"2026-03-02T08:00:01.000000Z"`, `"end":"2026-03-02T08:00:01.250432Z"`,
		`https://core.svc.example/2000007/1000000151"`, `SVC1 2000007/1000000003`, `-4`,
		`\"b\":\"2026-03-02T07:59:00Z\"`, `\"c\":\"2026-03-02 08:01:00\"`, `\"d\":1772438400`,
		`Mon, 02 Mar 2026 08:00:01 GMT`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if strings.ContainsAny(got, "<>") || strings.Contains(got, "feedface") || strings.Contains(got, "2270") {
		t.Errorf("%s\nhas a placeholder, or what stands for it", got)
	}
}
