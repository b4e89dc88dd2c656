package suggest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/suggest"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// answer returns an exchange with the platform's workflow interface, answered in JSON.
func answer(method, path string, status int, body string) *recording.Exchange {
	headers := recording.Headers{{"Content-Type", "application/json"}}
	return &recording.Exchange{
		Request:  recording.Request{Method: method, URL: "https://workflow.svc.example" + path},
		Response: &recording.Response{Status: status, Headers: headers, Body: &recording.Body{Bytes: []byte(body)}},
	}
}

// suggested returns the patch that n exchanges give.
func suggested(t *testing.T, n int, exchange func(i int) *recording.Exchange) *suggest.Patch {
	t.Helper()
	d, err := specs.Load(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}})
	if err != nil {
		t.Fatal(err)
	}
	c := suggest.NewCollector([]*specs.Document{d}, &recording.Redactor{Salt: []byte("salt")})
	for i := range n {
		c.Take(j.Exchange(record.Item{Exchange: exchange(i), Position: record.Position{Number: i + 1}}))
	}
	patches, err := c.Patches()
	if err != nil || len(patches) != 1 {
		t.Fatalf("%d patches, %v", len(patches), err)
	}
	return patches[0]
}

// letters returns a name for a number, without digits: those are taken for ids.
func letters(i int) string {
	return strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%06d", i))
}

// object returns one of JSON with n names from the given one on, all with the same value.
func object(from, n int, value string) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf("%q:%s", letters(from+i), value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// However much a recording has, the patch is bounded, either way it is written, and says what it leaves out.
func TestPatchesAreBounded(t *testing.T) {
	t.Parallel()
	const pond, pool = "/api/ponds", "/api/pools/1"
	for name, tt := range map[string]struct {
		n        int
		exchange func(i int) *recording.Exchange
		left     string
		most     int // bytes
	}{
		"paths": {
			3000, func(i int) *recording.Exchange { return answer("GET", "/api/"+letters(i), 200, `{}`) },
			"2500 operations", 1 << 20,
		},
		"names of an object that is not documented": {
			1000, func(i int) *recording.Exchange { return answer("GET", pond, 200, object(100*i, 100, "1")) }, "", 2 << 10,
		},
		"names of an object that is documented": {
			1000, func(i int) *recording.Exchange { return answer("GET", pool, 200, object(10*i, 10, "1")) }, "", 2 << 10,
		},
		"names of objects in objects": {
			200, func(i int) *recording.Exchange {
				return answer("GET", fmt.Sprint(pond, "/", letters(i%100)), 200, object(0, 50, object(0, 50, "{}")))
			},
			"9300 values", 8 << 20,
		},
		"parameters": {
			1000, func(i int) *recording.Exchange {
				return answer("GET", fmt.Sprint(pond, "?", letters(i), "=1"), 200, "{}")
			},
			"950 parameters", 32 << 10,
		},
		"parameters of what is documented": {
			1000, func(i int) *recording.Exchange {
				return answer("GET", fmt.Sprint("/api/pools?", letters(i), "=1"), 200, `{"pools":[]}`)
			},
			"950 parameters", 32 << 10,
		},
		"statuses": {
			500, func(i int) *recording.Exchange { return answer("GET", pond, 200+i, "{}") }, "450 statuses", 32 << 10,
		},
		"media types": {
			500, func(i int) *recording.Exchange {
				e := answer("GET", pond, 200, "{}")
				e.Response.Headers = recording.Headers{{"Content-Type", "text/" + letters(i)}}
				return e
			},
			"480 media types", 32 << 10,
		},
		"depth": {
			2, func(int) *recording.Exchange {
				return answer("GET", pond, 200, strings.Repeat(`{"a":[`, 40)+strings.Repeat(`]}`, 40))
			},
			"2 deeper values", 16 << 10,
		},
		"long names": {
			3, func(int) *recording.Exchange {
				return answer("GET", pond, 200, `{"`+strings.Repeat("a", 100_000)+`":1,"b":2}`)
			},
			"3 names", 2 << 10,
		},
		"long texts": {
			3, func(int) *recording.Exchange {
				return answer("GET", pond, 200, `{"b":"`+strings.Repeat("a", 100_000)+`"}`)
			},
			"", 2 << 10,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := suggested(t, tt.n, tt.exchange)
			if diff := cmp.Diff(tt.left, p.LeftOut()); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			overlay := p.Overlay()
			if said, _ := overlay["info"].(map[string]any)["x-left-out"].(string); said != tt.left {
				t.Errorf("the overlay says that %q is left out, want %q", said, tt.left)
			}
			for _, patch := range []map[string]any{overlay, p.MergePatch()} {
				text, err := suggest.Write(patch, true)
				if err != nil || len(text) > tt.most || len(text) < 100 {
					t.Errorf("%d bytes, %v; want at most %d", len(text), err, tt.most)
				}
			}
		})
	}
}

// One object with many names does not crowd out what other parts of the document lack.
func TestAMapLeavesRoom(t *testing.T) {
	t.Parallel()
	p := suggested(t, 2001, func(i int) *recording.Exchange {
		if i == 2000 {
			return answer("GET", "/api/pools", 418, `{"why":"tea"}`)
		}
		return answer("GET", "/api/pools/1", 200, object(10*i, 10, `{"size":1}`))
	})
	text := written(t, p)
	for _, want := range []string{"additionalProperties", "size", "418", "why"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the patch:\n%s", want, text)
		}
	}
}

func written(t *testing.T, p *suggest.Patch) string {
	t.Helper()
	text := ""
	for _, patch := range []map[string]any{p.Overlay(), p.MergePatch()} {
		b, err := json.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	return text
}

// No secret is in a patch, wherever it stands: in a value, below or beside a name that says so, or in a name itself.
func TestPatchesHaveNoSecrets(t *testing.T) {
	t.Parallel()
	key := `"https://u:hunter2@h/"`
	for name, exchange := range map[string]*recording.Exchange{
		"a value":    answer("GET", "/api/ponds", 200, `{"password":"hunter2","a":1}`),
		"a number":   answer("GET", "/api/ponds", 200, `{"password":20252025,"a":1}`),
		"an address": answer("GET", "/api/ponds", 200, `{"a":`+key+`}`),
		"a list":     answer("GET", "/api/ponds", 200, `{"password":["hunter2",["hunter2"]]}`),
		"below a name": answer("GET", "/api/ponds", 200,
			`{"password":{"now":"hunter2","before":["hunter2",{"a":"hunter2"}]}}`),
		"in a map below a name": answer("GET", "/api/ponds", 200, `{"password":`+object(0, 60, `"hunter2"`)+`}`),
		"in a map": answer("GET", "/api/ponds", 200,
			strings.TrimSuffix(object(0, 60, "null"), "}")+`,"password":"hunter2"}`),
		"a name":                     answer("GET", "/api/ponds", 200, `{`+key+`:1,"a":1}`),
		"a field of what is there":   answer("GET", "/api/pools/1", 200, `{"password":"hunter2","more":`+key+`}`),
		"a name in what is there":    answer("GET", "/api/pools/1", 200, `{`+key+`:1,"a":1}`),
		"a parameter":                answer("GET", "/api/ponds?password=hunter2&a="+"https://u:hunter2@h/", 200, `{}`),
		"a parameter's name":         answer("GET", "/api/ponds?https://u:hunter2@h/=1", 200, `{}`),
		"a parameter of what there":  answer("GET", "/api/pools?password=hunter2", 200, `{"pools":[]}`),
		"a parameter's name in what": answer("GET", "/api/pools?a=1&https://u:hunter2@h/=1", 200, `{"pools":[]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := written(t, suggested(t, 2, func(int) *recording.Exchange { return exchange }))
			if strings.Contains(text, "hunter2") || strings.Contains(text, "20252025") {
				t.Errorf("a secret is in the patch:\n%s", text)
			}
		})
	}
}

// Each field of a body that the document lacks is an addition, up to as many as make a map.
func TestFieldsOfOneBody(t *testing.T) {
	t.Parallel()
	e := answer("GET", "/api/pools/1", 200, object(0, 15, "1"))
	p := suggested(t, 3, func(int) *recording.Exchange { return e })
	if p.Additions != 15 || p.Exchanges != 3 || p.LeftOut() != "" {
		t.Errorf("%d additions of %d exchanges, left out %q", p.Additions, p.Exchanges, p.LeftOut())
	}
}
