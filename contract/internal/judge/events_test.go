package judge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

func TestEventStreams(t *testing.T) {
	t.Parallel()
	j := probe(t)
	inconclusive := func(reason string) []string { return []string{"inconclusive schema /response/body: " + reason} }
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"events":                   {"data: {\"text\":\"a\"}\n\ndata: {\"at\":1}\n\n", nil},
		"without a space":          {"data:{\"text\":\"a\"}\n\n", nil},
		"lines that end in CR LF":  {"data: {\"text\":\"a\"}\r\n\r\ndata: {}\r\n\r\n", nil},
		"lines that end in CR":     {"data: {\"text\":\"a\"}\r\rdata: {}\r\r", nil},
		"data in several lines":    {"data: {\"text\":\ndata: \"a\"}\n\n", nil},
		"a byte order mark":        {"\ufeffdata: {}\n\n", nil},
		"comments":                 {": hello\n\n:\ndata: {}\n: in between\n\n: bye\n", nil},
		"other fields":             {"event: message\nid: 1\nretry: 3000\nmore\ndata: {}\n\n", nil},
		"more empty lines":         {"\n\ndata: {}\n\n\n\n", nil},
		"an event without data":    {"event: ping\n\ndata: {}\n\n", nil},
		"no events":                {": hello\n\n", inconclusive("the stream has no events")},
		"nothing at all":           {"", inconclusive("the stream has no events")},
		"the last line is cut":     {"data: {}\n\ndata: {\"te", inconclusive("the stream ends unexpectedly after 1 events")},
		"the last line has no end": {"data: {}\n\ndata: {}", inconclusive("the stream ends unexpectedly after 1 events")},
		"the last event has none":  {"data: {}\n\ndata: {}\n", inconclusive("the stream ends unexpectedly after 1 events")},
		"only its name is there":   {"data: {}\n\nevent: x\n", inconclusive("the stream ends unexpectedly after 1 events")},
		"an event that is no JSON": {
			"data: {}\n\ndata: [DONE]\n\n",
			inconclusive("event 2 of the stream is not JSON: a syntax error at byte 1"),
		},
		"no UTF-8": {"data: {\"text\":\"\xe4\"}\n\n", inconclusive("the body is not UTF-8")},
		"a value of another type": {
			"data: {\"text\":\"a\"}\n\ndata: {\"text\":1}\n\n",
			[]string{"error schema /response/body/1/text: value must be a string"},
		},
		"an event of another type": {"data: 1\n\n", []string{"error schema /response/body/0: value must be an object"}},
		"a field that is not declared": {
			"data: {\"txt\":\"a\"}\n\n",
			[]string{`error undeclared-field /response/body/0/txt: field "txt" is not documented`},
		},
		"a value that was taken out": {"data: {\"secret\":\"[redacted:0123456789abcdef]\"}\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit := answer([]byte(tt.text), "Content-Type", "text/event-stream; charset=utf-8")
			r := j.Exchange(talk{"GET /stream", "", 200, "", edit}.item())
			if diff := cmp.Diff(tt.want, findingLines(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			// one for the parameters
			if strings.Contains(strings.Join(tt.want, ""), "inconclusive") && passes(r, judge.Schema) > 1 {
				t.Error("a stream that cannot be read passes")
			}
		})
	}
}

func passes(r *judge.Result, rule string) int {
	n := 0
	for _, c := range r.Checks {
		if c.Rule == rule && c.Verdict == report.Pass {
			n++
		}
	}
	return n
}

func TestParts(t *testing.T) {
	t.Parallel()
	j := probe(t)
	const (
		first  = "--b\r\nContent-Type: text/plain\r\n\r\none\r\n"
		second = "--b\r\nContent-Disposition: attachment; filename=\"a%2Fb\"\r\n\r\ntwo\r\n"
		end    = "--b--\r\n"
	)
	inconclusive := func(reason string) []string { return []string{"inconclusive schema /response/body: " + reason} }
	for name, tt := range map[string]struct {
		header, text string
		want         []string
	}{
		"two parts":            {"multipart/mixed; boundary=b", first + second + end, nil},
		"none":                 {"multipart/mixed; boundary=b", end, nil},
		"lines that end in LF": {"multipart/mixed; boundary=b", strings.ReplaceAll(first+second+end, "\r", ""), nil},
		"without an end": {
			"multipart/mixed; boundary=b", first + second,
			inconclusive("part 2 of the body is damaged or cut off"),
		},
		"cut within a part": {
			"multipart/mixed; boundary=b", first + second[:30],
			inconclusive("part 2 of the body is damaged or cut off"),
		},
		"another boundary": {
			"multipart/mixed; boundary=c", first + end,
			inconclusive("part 1 of the body is damaged or cut off"),
		},
		"no boundary": {
			"multipart/mixed", first + end,
			inconclusive("the Content-Type has no boundary between the parts"),
		},
		"headers that are none": {
			"multipart/mixed; boundary=b", "--b\r\nnone\r\n\r\none\r\n" + end,
			inconclusive("part 1 of the body is damaged or cut off"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.Exchange(talk{"GET /files", "", 200, "", answer([]byte(tt.text), "Content-Type", tt.header)}.item())
			if diff := cmp.Diff(tt.want, findingLines(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzEventStream(f *testing.F) {
	for _, seed := range []string{"data: {}\n\n", "data: {}\r\n\r", ":\n\ndata", "event: x\ndata:1\n\n", "data\n\n"} {
		f.Add([]byte(seed))
	}
	j := probe(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := j.Exchange(talk{"GET /stream", "", 200, "", answer(data, "Content-Type", "text/event-stream")}.item())
		if passes(r, judge.Schema) > 1 && !strings.Contains(string(data), "data") {
			t.Errorf("%q passes without an event", data)
		}
	})
}
