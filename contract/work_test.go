package contract_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// repeated joins n texts, each made with its number.
func repeated(n int, separator, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(strings.ReplaceAll(format, "%", fmt.Sprint(i)))
	}
	return b.String()
}

func getting(url string, response string) *recording.Exchange {
	return &recording.Exchange{
		Request:  recording.Request{Method: "GET", URL: url},
		Response: &recording.Response{Status: 200, Headers: jsonHeaders(), Body: &recording.Body{Bytes: []byte(response)}},
	}
}

func posting(url, kind, body string) *recording.Exchange {
	return &recording.Exchange{
		Request: recording.Request{
			Method: "POST", URL: url, Headers: recording.Headers{{"Content-Type", kind}},
			Body: &recording.Body{Bytes: []byte(body)},
		},
		Response: &recording.Response{Status: 200},
	}
}

func numberedHeaders(n int, name string) recording.Headers {
	list := jsonHeaders()
	for i := range n {
		list = append(list, [2]string{strings.ReplaceAll(name, "%", fmt.Sprint(i)), "v"})
	}
	return list
}

// hostileExchanges are exchanges that are meant to take long, by how much of what makes them so they have.
var hostileExchanges = map[string]func(n int) *recording.Exchange{
	"undeclared parameters": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/pools?"+repeated(n, "&", "q%=%"), `{"pools":[]}`)
	},
	"one parameter many times": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/sessions?"+repeated(n, "&", "last_id=x%"), `{}`)
	},
	"filters": func(n int) *recording.Exchange {
		e := getting("https://llm.svc.example/api/agents?"+repeated(n, "&", "filter[x%]=%"),
			`{"data":[],"meta":{"total":1},"links":{"first":"/?a","next":"/?a"}}`)
		e.Response.Headers = recording.Headers{{"Content-Type", "application/vnd.api+json"}}
		return e
	},
	"undeclared fields": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/pools", `{"pools":[{`+repeated(n, ",", `"f%":1`)+`}]}`)
	},
	"wrong items": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/pools", `{"pools":[`+repeated(n, ",", `{"id":%,"name":1}`)+`]}`)
	},
	"wide at the bottom of a deep body": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/pools",
			strings.Repeat("[", 200)+repeated(n, ",", `1`)+strings.Repeat("]", 200))
	},
	"an undeclared deep field": func(n int) *recording.Exchange {
		return getting("https://workflow.svc.example/api/pools",
			`{"pools":[{"x":`+strings.Repeat("[", 200)+repeated(n, ",", `{"a":1}`)+strings.Repeat("]", 200)+`}]}`)
	},
	"included resources": func(n int) *recording.Exchange {
		e := getting("https://llm.svc.example/api/agents", `{"data":[],"meta":{"total":1},"links":{"first":"/"},"included":[`+
			repeated(n, ",", `{"type":"agents","id":"%","links":{"self":"/x/y"}}`)+`]}`)
		e.Response.Headers = recording.Headers{{"Content-Type", "application/vnd.api+json"}}
		return e
	},
	"headers": func(n int) *recording.Exchange {
		e := getting("https://workflow.svc.example/api/pools", `{"pools":[]}`)
		e.Request.Headers, e.Response.Headers = numberedHeaders(n, "X-%"), numberedHeaders(n, "X-%")
		return e
	},
	"the same header": func(n int) *recording.Exchange {
		e := getting("https://workflow.svc.example/api/pools", `{"pools":[]}`)
		e.Request.Headers, e.Response.Headers = numberedHeaders(n, "X-Same"), numberedHeaders(n, "X-Same")
		return e
	},
	"cookies": func(n int) *recording.Exchange {
		e := getting("https://workflow.svc.example/api/pools", `{"pools":[]}`)
		e.Request.Headers = recording.Headers{{"Cookie", repeated(n, "; ", "c%=%")}}
		return e
	},
	"lines with a fault each": func(n int) *recording.Exchange {
		return getting("https://core.svc.example/v3/job/result/1?format=jsonl", repeated(n, "\n", `{"a%":{}}`))
	},
	"a form": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db", "application/x-www-form-urlencoded",
			repeated(n, "&", "f%=%"))
	},
	"a form of lists": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db", "application/x-www-form-urlencoded",
			repeated(n, "&", "f[]=%"))
	},
	"a form of objects": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db", "application/x-www-form-urlencoded",
			repeated(n, "&", "f[a%]=%"))
	},
	"a form of one deep object": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db", "application/x-www-form-urlencoded",
			"f"+strings.Repeat("[a]", n)+"=1")
	},
	"a form in the query": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db?"+repeated(n, "&", "f%=%"), "application/json", "")
	},
	"parts of a form": func(n int) *recording.Exchange {
		return posting("https://core.svc.example/v3/job/issue/trino/db", "multipart/form-data; boundary=b",
			repeated(n, "", "--b\r\nContent-Disposition: form-data; name=\"f%\"\r\n\r\n%\r\n")+"--b--\r\n")
	},
	"events": func(n int) *recording.Exchange {
		return posting("https://ingestion.svc.example/postback/v3/event/db/t", "application/json",
			`{"events":[`+repeated(n, ",", `{"k%":%}`)+`]}`)
	},
	"a stream of wrong events": func(n int) *recording.Exchange {
		e := posting("https://llm.svc.example/api/chats/1/continue", "application/json", `{"data":{}}`)
		e.Response.Headers = recording.Headers{{"Content-Type", "text/event-stream"}}
		e.Response.Body = &recording.Body{Bytes: []byte(repeated(n, "\n\n", `data: {"x%":%}`) + "\n\n")}
		return e
	},
}

// TestWorkIsLinear counts bytes that are allocated: for an exchange with eight times as much of what is hostile in it,
// quadratic work takes 64 times as many.
func TestWorkIsLinear(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const n, times, most = 500, 8, 16
	c := checker(t, contract.WithWorkers(1))
	allocated := func(e *recording.Exchange) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{e, e, e, e, e})))
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Error(err)
		}
		return max(after.TotalAlloc-before.TotalAlloc, 256<<10)
	}
	for name, hostile := range hostileExchanges {
		allocated(hostile(1)) // which compiles schemas
		short, long := allocated(hostile(n)), allocated(hostile(times*n))
		if long > most*short {
			t.Errorf("%s: %d KiB for %d, %d KiB for %d", name, short>>10, n, long>>10, times*n)
		}
	}
}

// TestFindingsOfAMessageAreBounded: the first twenty of a rule are listed, and the last of these says how many more
// there are.
func TestFindingsOfAMessageAreBounded(t *testing.T) {
	t.Parallel()
	const n, told = 4000, 20
	for name, tt := range map[string]struct{ rule, more string }{
		"undeclared parameters": {
			"undeclared-field",
			"query parameter \"q1014\" is not documented; and 3980 more of rule undeclared-field in the same message",
		},
		"undeclared fields": {
			"undeclared-field",
			"field \"f1014\" is not documented; and 3980 more of rule undeclared-field in the same message",
		},
		"wrong items":        {"schema", "and 15980 more of rule schema in the same message"},
		"included resources": {"schema", "and 7981 more of rule schema in the same message"},
	} {
		e := hostileExchanges[name](n)
		r := checked(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})))
		count, last := 0, ""
		for _, f := range r.Findings {
			if f.Rule == tt.rule {
				count, last = count+1, f.Message
			}
		}
		if count < told || count > 3*told || !strings.HasSuffix(last, tt.more) || r.Omitted < n-told {
			t.Errorf("%s: %d findings of %s, %d omitted, the last one: %s", name, count, tt.rule, r.Omitted, last)
		}
	}
}
