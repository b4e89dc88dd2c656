package fill_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/fill"
)

// run returns a run for a request, which ends after so many questions of whether it takes too long.
func run(questions int) *fill.Run {
	request := fill.NewRequest(http.Header{"X-Tenant": {`a"b`}}, map[string]any{
		"name": `say "hi" \ <b>`, "price": json.Number("1.50"), "big": json.Number("1152921504606846976"), "items": []any{
			map[string]any{"id": json.Number("1")}, map[string]any{"id": json.Number("2")},
		}, "none": nil, "on": true, "huge": strings.Repeat(`"`, 1<<20), "exact": json.Number("12345678901234567890.5"),
	})
	request.Method, request.World, request.Seed, request.Call = "POST", "default", 7, 3
	request.Path, request.Query = map[string]string{"poolId": "7"}, map[string]string{"x": "1"}
	return &fill.Run{
		Request: request, Now: time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC),
		UUID:   func(n int64) string { return fmt.Sprint("uuid-", n) },
		Random: func(n int64) float64 { return float64(n) / 10 },
		IsOver: func() bool { questions--; return questions < 0 },
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"as it is":                                      "as it is",
		"{{.Path.poolId}}-{{.Query.x}}":                 "7-1",
		"{{.Body.name}}":                                `say "hi" \ <b>`,
		`{{.Header "x-tenant"}}`:                        `a"b`,
		"{{.Method}} {{.World}} {{.Seed}}":              "POST default 7",
		"{{.Call}}":                                     "3",
		"{{.Body.price}} {{.Body.big}} {{.Body.exact}}": "1.5 1152921504606846976 12345678901234567890.5",
		"{{if and (gt .Body.price 1.4) (eq (index .Body.items 1).id 2)}}yes{{end}}": "yes",
		"[{{.Body.none}}{{.Body.missing}}]":                                         "[]",
		"{{.Query.missing}}":                                                        "",
		"{{.Body.items}}":                                                           `[{"id":1},{"id":2}]`,
		"{{json .Body.name}}":                                                       `"say \"hi\" \\ <b>"`,
		"{{value .Body.items}}":                                                     `[{"id":1},{"id":2}]`,
		"{{range $i, $e := .Body.items}}{{if $i}},{{end}}{{$e.id}}{{end}}":          "1,2",
		"{{range .Body.missing}}x{{else}}nothing{{end}}":                            "nothing",
		"{{with .Body.on}}{{.}}{{end}}{{if not .Body.none}}!{{end}}":                "true!",
		"{{or .Body.missing .Body.name | upper}}":                                   `SAY "HI" \ <B>`,
		"{{now}} {{now \"24h\"}}":                                                   "2026-01-15T09:30:00Z 2026-01-16T09:30:00Z",
		"{{uuid}} {{uuid}} {{random 1 10}}":                                         "uuid-1 uuid-2 4",
		"{{$x := index .Body.items 1}}{{$x.id}}{{/* a comment */}}{{len \"ab\"}}":   "22",
		"{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}":                   "02",
		"{{/* nothing */}}":                                                         "",
	} {
		if got, err := run(1000).Text(text); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
		if err := fill.Check(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What stands in a body of JSON is quoted, whatever it has in it, and value keeps the type.
func TestBodies(t *testing.T) {
	t.Parallel()
	body := map[string]any{
		"name": "{{.Body.name}}", "items": "{{value .Body.items}}", "price": " {{value .Body.price}} ", "n": 1,
		"on": []any{"{{value .Body.on}}", "{{value .Body.missing}}", true}, "{{.Body.name}}": "the name of a member stays",
	}
	filled, err := run(1000).Body(body)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(filled)
	want := `{"items":[{"id":1},{"id":2}],"n":1,"name":"say \"hi\" \\ \u003cb\u003e","on":[true,null,true],"price":1.5,` +
		`"{{.Body.name}}":"the name of a member stays"}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, err = run(1000).Body(map[string]any{"a": []any{"b", "{{.Nothing}}"}})
	if err == nil || !strings.HasPrefix(err.Error(), "a: 1: line 1") || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("the error is %v", err)
	}
}

// Mistakes that can be known without a request are.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{.Body.name":                                  "line 1: unclosed action",
		"{{printf \"%s\" .Body.name}}":                  `function "printf" not defined`,
		"{{call .Body.name}}":                           `function "call" not defined`,
		"{{define \"a\"}}x{{end}}{{template \"a\"}}":    "define and block are not allowed",
		"{{block \"a\" .}}x{{end}}":                     "not allowed",
		"{{if true}}{{template \"template\" .}}{{end}}": "template is not allowed",
		"a\n{{nothing}}":                                `line 2: function "nothing" not defined`,
		"{{end}}":                                       "unexpected {{end}}",
		"{{" + strings.Repeat(" ", 64<<10):              "want at most 65536",
	} {
		if err := fill.Check(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
	if err := fill.CheckBody(map[string]any{"a": map[string]any{"b": "{{"}}); err == nil || !strings.HasPrefix(err.Error(), "a: b: line 1") {
		t.Errorf("got %v", err)
	}
}

// No template takes for ever, or all of the memory.
func TestBombs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{range 1000000000000}}{{end}}":                                                  "takes too long",
		"{{range 1000000}}{{range 1000000}}{{if 1}}{{end}}{{end}}{{end}}":                 "takes too long",
		"{{range 1000000}}{{$.Body.huge}}{{end}}":                                         "more than 4194304 bytes",
		"{{$x := .Body.huge}}{{range 100}}{{$x = json $x}}{{end}}":                        "more than 4194304 bytes",
		"{{range 100}}{{$x := json $.Body.huge}}{{end}}":                                  "more than 4194304 bytes",
		"{{range .Body.items}}{{range $.Body.items}}{{value .}}{{end}}{{end}}":            "value stands twice",
		"a {{value .Body.items}}":                                                         "value stands beside other text",
		"{{.Body.name.first}}":                                                            "can't evaluate field first",
		"{{random 2 1}}":                                                                  "want random MIN MAX",
		"{{now \"tomorrow\"}}":                                                            `want a duration such as 24h or -90m, not "tomorrow"`,
		"{{index .Body.items 9}}":                                                         "index out of range",
		strings.Repeat("{{eq .Body.huge .Body.huge}}", 1) + "{{range 9}}{{.Nope}}{{end}}": "can't evaluate field Nope",
	} {
		if got, err := run(100_000).Text(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %d bytes, %v, want %s", text, len(got), err, want)
		}
	}
	bodies := make([]any, 200)
	for i := range bodies {
		bodies[i] = "{{range 1000}}{{end}}"
	}
	if _, err := run(100_000).Body(bodies); err == nil || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("many templates: %v", err)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range []string{
		"{{.Body.name}}", "{{range .Body.items}}{{.id}}{{end}}", "{{value .Body.items}}", "{{json .}}", "{{now \"1h\"}}",
		"{{with $x := .Path}}{{$x.poolId}}{{end}}", "{{random 1 2}}{{uuid}}", "{{slice .Body.name 1 2}}", "{{break}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := fill.Check(text)
		got, runErr := run(1000).Text(text)
		if err != nil && runErr == nil || len(got) > 6<<20 {
			t.Errorf("%q: checked %v, filled %d bytes, %v", text, err, len(got), runErr)
		}
	})
}
