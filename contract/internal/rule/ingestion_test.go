package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/specs/recording"
)

func TestIngestionAuth(t *testing.T) {
	t.Parallel()
	const (
		event  = `POST ingestion:/postback/v3/event/shop/orders {"a":1} => `
		listed = `GET core:/database/list => 200 {"databases":[]}` + "\n"
		wrong  = `@1/wrong GET core:/database/list => 401` + "\n"
	)
	runRule(t, rule.IngestionAuth, map[string]ruleCase{
		"an event without a key is refused":  {"@none " + event + "403", []string{"pass ×1"}},
		"an event without a key is accepted": {listed + "@none " + event + "200 {}", []string{"fail 1 2"}},
		"an event without a key is accepted, and keys are seen later": {
			"@none " + event + "200 {}\n" + listed, []string{"fail 1 2"},
		},
		"no request has a key": {"@none " + event + "200 {}", []string{"inconclusive 1"}},
		"a key only in the query": {listed +
			`@none POST ingestion:/postback/v3/event/shop/orders?svc_write_key=1/a {"a":1} => 200 {}`, []string{"fail 1 2"}},
		"a bad event without a key":                  {listed + "@none " + event + "400", nil},
		"a wrong key is accepted":                    {wrong + "@1/wrong " + event + "200 {}", []string{"pass ×1"}},
		"a wrong key is refused":                     {wrong + "@1/wrong " + event + "403", []string{"fail 1 2"}},
		"a wrong key with a bad body":                {wrong + "@1/wrong " + event + "400", nil},
		"a key is refused of which nothing is known": {event + "403", []string{"inconclusive 1"}},
		"a key is refused that was accepted since": {wrong + `@1/wrong GET core:/database/list => 200 {"databases":[]}` +
			"\n@1/wrong " + event + "403", []string{"inconclusive 3"}},
		"a key is refused that was a good one before": {
			`@1/wrong GET core:/database/list => 200 {"databases":[]}` + "\n" + wrong + "@1/wrong " + event + "403",
			[]string{"fail 2 3"},
		},
		"a good key is refused, which may not import": {listed + event + "403", []string{"inconclusive 2"}},
		"keys that are hidden alike": {
			"@hidden GET core:/database/list => 401\n@hidden " + event + "403",
			[]string{"inconclusive 2"},
		},
		"a rejection that is not the key's": {
			"@1/good PATCH llm:/agent_schedules/00000000-0000-4000-8000-000000000001 => 401\n@1/good " + event + "403",
			[]string{"inconclusive 2"},
		},
		"a rejection of a signature": {
			"@1/good POST llm:/actions/00000000-0000-4000-8000-000000000001/chatapp => 401\n@1/good " + event + "403",
			[]string{"inconclusive 2"},
		},
		"a rejection at the same time": {"1-5 " + wrong + "2-3 @1/wrong " + event + "403", []string{"inconclusive 2"}},
		"a good key":                   {event + "200 {}", nil},
	})
}

// keyed is a refused event with keys in two headers, after one of them was rejected elsewhere.
func keyed(t *testing.T, rejected, authorization, writeKey string) []*recording.Exchange {
	t.Helper()
	list := script(t, "@"+rejected+
		" GET core:/database/list => 401\n@none POST ingestion:/postback/v3/event/shop/orders {} => 403")
	for name, value := range map[string]string{"Authorization": authorization, "X-SVC-Write-Key": writeKey} {
		if value != "" {
			list[1].Request.Headers = append(list[1].Request.Headers, [2]string{name, value})
		}
	}
	return list
}

// The key that counts is the one in Authorization; a header of its own has it only where there is none.
func TestTheKeyOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		exchanges []*recording.Exchange
		want      []string
	}{
		"in a header of its own": {keyed(t, "1/wrong", "", "1/wrong"), []string{"fail [1 2"}},
		"in Authorization":       {keyed(t, "1/wrong", "SVC1 1/wrong", "1/good"), []string{"fail [1 2"}},
		"a good one in Authorization": {
			keyed(t, "1/wrong", "SVC1 1/good", "1/wrong"),
			[]string{"inconclusive [2"},
		},
		"without a scheme it is another one": {keyed(t, "1/wrong", "1/wrong", ""), []string{"inconclusive [2"}},
		"redacted, in a header of its own": {
			keyed(t, "[redacted:01abcdef]", "", "[redacted:01abcdef]"),
			[]string{"fail [1 2"},
		},
		"redacted, of which another one was wrong": {
			keyed(t, "[redacted:01abcdef]", "SVC1 [redacted:99abcdef]", ""),
			[]string{"inconclusive [2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := verdicts(t, rule.IngestionAuth, tt.exchanges)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("taken out by a recorder", func(t *testing.T) {
		t.Parallel()
		list := script(t, "GET core:/database/list => 401\n@none POST ingestion:/postback/v3/event/shop/orders {} => 200 {}")
		list[1].Redacted = []string{"Authorization"}
		if got, _ := verdicts(t, rule.IngestionAuth, list); got != nil {
			t.Errorf("verdicts %q", got)
		}
	})
}

func TestIngestionSize(t *testing.T) {
	t.Parallel()
	const limit = 1_048_064
	body := func(n int) *recording.Body { return &recording.Body{Bytes: []byte(strings.Repeat(" ", n))} }
	text := func(n int) *recording.Body {
		return &recording.Body{Bytes: []byte("{" + strings.Repeat(" ", n-2) + "}")}
	}
	cut := func(n int) *recording.Body { return &recording.Body{Bytes: body(n).Bytes, Truncated: true} }
	for name, tt := range map[string]struct {
		body    *recording.Body
		headers recording.Headers
		status  int
		want    []string
	}{
		"small":                            {body(9), nil, 200, nil},
		"exactly the limit":                {body(limit), nil, 200, []string{"pass ×1"}},
		"exactly the limit, refused":       {body(limit), nil, 413, []string{"fail [1"}},
		"small, refused":                   {body(9), nil, 413, []string{"fail [1"}},
		"one byte more, refused":           {body(limit + 1), nil, 413, []string{"pass ×1"}},
		"one byte more, accepted":          {body(limit + 1), nil, 200, []string{"fail [1"}},
		"one byte more, refused otherwise": {body(limit + 1), nil, 403, []string{"inconclusive [1"}},
		"one byte more, and it broke":      {body(limit + 1), nil, 0, []string{"inconclusive [1"}},
		"one byte more, and it failed":     {body(limit + 1), nil, 500, []string{"inconclusive [1"}},
		"announced and not read": {
			cut(0),
			recording.Headers{{"Content-Length", fmt.Sprint(limit + 1)}},
			413,
			[]string{"pass ×1"},
		},
		"announced, not recorded whole": {
			cut(10),
			recording.Headers{{"Content-Length", fmt.Sprint(limit + 1)}},
			200,
			[]string{"fail [1"},
		},
		"announced within the limit": {
			cut(10),
			recording.Headers{{"Content-Length", fmt.Sprint(limit)}},
			413,
			[]string{"fail [1"},
		},
		"cut at the limit":           {cut(limit), nil, 413, []string{"pass ×1"}},
		"cut at the limit, accepted": {cut(limit), nil, 200, []string{"fail [1"}},
		"cut before":                 {cut(10), nil, 413, []string{"inconclusive [1"}},
		"cut before, accepted":       {cut(10), nil, 200, nil},
		"not recorded": {
			nil,
			recording.Headers{{"Content-Length", fmt.Sprint(limit + 1)}},
			200,
			[]string{"fail [1"},
		},
		"not recorded, nor announced": {nil, nil, 413, []string{"inconclusive [1"}},
		"compressed, refused": {
			body(9),
			recording.Headers{{"Content-Encoding", "gzip"}},
			413,
			[]string{"inconclusive [1"},
		},
		"compressed, and still too large": {
			body(limit + 1),
			recording.Headers{{"Content-Encoding", "gzip"}},
			200,
			[]string{"fail [1"},
		},
		"compressed, and recorded decoded": {text(limit + 1), recording.Headers{{"Content-Encoding", "gzip"}}, 200, nil},
		"decoded, and announced": {
			text(limit + 1),
			recording.Headers{{"Content-Encoding", "gzip"}, {"Content-Length", "99"}},
			200, nil,
		},
		"decoded, and announced too large": {
			text(limit + 9),
			recording.Headers{{"Content-Encoding", "gzip"}, {"Content-Length", fmt.Sprint(limit + 1)}},
			200,
			[]string{"fail [1"},
		},
		"replaced by a smaller one": {
			body(9),
			recording.Headers{{"Content-Length", fmt.Sprint(limit + 1)}},
			413,
			[]string{"inconclusive [1"},
		},
		"replaced by a larger one": {body(limit + 1), recording.Headers{{"Content-Length", fmt.Sprint(limit)}}, 200, nil},
		"not compressed, as it says": {
			body(9),
			recording.Headers{{"Content-Encoding", "identity"}},
			413,
			[]string{"fail [1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := script(t, fmt.Sprintf("POST ingestion:/postback/v3/event/shop/orders => %d {}", tt.status))
			list[0].Request.Body = tt.body
			list[0].Request.Headers = slices.Concat(list[0].Request.Headers, tt.headers)
			got, _ := verdicts(t, rule.IngestionSize, list)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
		})
	}
}
