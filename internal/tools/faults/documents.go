package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"svc.example/understudy/internal/tools/must"
)

var userDocuments = promise{
	name: "user-documents",
	says: "A user's document costs what is written in it: schemas that multiply, costly patterns and " +
		"aliases take a bounded time.",
	tried: "documents whose schemas combine six others nine levels deep by oneOf, anyOf, allOf and not, " +
		"of the value or of its " +
		"members, schemas around each other, nested unique lists, a pattern of 18,000 states: " +
		"a POST to serve, a check, and a " +
		"document of aliases",
	try: tryDocuments,
}

// multiplied returns schemas S0 to S9, each of which combines six others by a keyword, each of which has the next one.
func multiplied(keyword, next, last string) string {
	var b strings.Builder
	for level := range 9 {
		one := strings.ReplaceAll(next, "NEXT", fmt.Sprintf(`{"$ref":"#/components/schemas/S%d"}`, level+1))
		list := "[" + strings.Repeat(one+",", 5) + one + "]"
		if keyword == "not" {
			list = `{"anyOf":` + list + "}"
		}
		fmt.Fprintf(&b, `"S%d":{%q:%s},`, level, keyword, list)
	}
	return "{" + b.String() + `"S9":` + last + "}"
}

// ownDocument returns a document whose only operation takes and answers S0.
func ownDocument(schemas string) string {
	const content = `"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}`
	return `{"openapi":"3.0.3","info":{"title":"own","version":"1"},` +
		`"paths":{"/api/pools":{"post":{"requestBody":{"required":true,` +
		content + `},"responses":{"201":{"description":"made",` + content + `},"400":{"description":"wrong"}}}}},` +
		`"components":{"schemas":` + schemas + `}}`
}

func tryDocuments(ctx context.Context, t *trial) string {
	const members = `{"type":"object","properties":{"a":NEXT}}`
	nested := strings.Repeat(`{"a":`, 9) + "true" + strings.Repeat("}", 9)
	all := map[string][2]string{
		"oneOf":       {multiplied("oneOf", `{"allOf":[NEXT]}`, `{"type":"integer"}`), `{"name":"a"}`},
		"anyOf":       {multiplied("anyOf", `{"allOf":[NEXT]}`, `{"type":"integer"}`), `{"name":"a"}`},
		"allOf":       {multiplied("allOf", `{"allOf":[NEXT]}`, `{"type":"object"}`), `{"name":"a"}`},
		"not":         {multiplied("not", `{"allOf":[NEXT]}`, `{"type":"integer"}`), `{"name":"a"}`},
		"members":     {multiplied("oneOf", members, `{"type":"integer"}`), nested},
		"few members": {multiplied("oneOf", members, `{"type":"integer"}`), `{"a":{"a":1}}`},
		"schemas around each": {
			`{"S0":{"oneOf":[{"$ref":"#/components/schemas/A"}]},"A":{"allOf":[{"$ref":"#/components/schemas/S0"}]}}`,
			`{}`,
		},
		"nested, unique lists": {
			`{"S0":{"type":"array","uniqueItems":true,"items":{"$ref":"#/components/schemas/S0"}}}`,
			strings.Repeat("[", 200) + strings.Repeat("]", 200),
		},
		"a pattern": {
			`{"S0":{"type":"object","additionalProperties":{"type":"string","pattern":"^(` +
				strings.Repeat("(a?){900}|", 20) + `b)$"}}}`,
			`{"name":"` + strings.Repeat("a", 50_000) + `b"}`,
		},
	}
	var slowest time.Duration
	for name, one := range all {
		must.In(name, func() {
			took := t.tryDocument(ctx, ownDocument(one[0]), one[1])
			if slowest = max(slowest, took); took > promptAnswer {
				must.Fatalf("it took %v", ms(took))
			}
		})
	}
	return fmt.Sprintf("%d documents, the slowest POST took %v, a check of each at most 5 s with its start; "+
		"aliases were refused after %v", len(all), ms(slowest), ms(t.tryAliases(ctx)))
}

// tryDocument serves a document, posts a body, and checks an exchange that has it as an answer.
func (t *trial) tryDocument(ctx context.Context, document, body string) time.Duration {
	file, recorded := t.file("own.json"), t.file("recorded.ndjson")
	line := fmt.Sprintf(`{"request":{"method":"POST","url":"https://own.example/api/pools","headers":[]},`+
		`"response":{"status":201,`+
		`"headers":[["Content-Type","application/json"]],"body":{"text":%q}}}`+"\n", body)
	must.Do(errors.Join(os.WriteFile(file, []byte(document), 0o600), os.WriteFile(recorded, []byte(line), 0o600)))
	m := t.serve(ctx, "--spec", "workflow="+file)
	a := must.Get(m.call(ctx, http.MethodPost, "/workflow/api/pools", body))
	m.terminate(5 * time.Second)
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(limited, t.binary, "check",
		"--spec", "workflow="+file, "--base", "workflow=https://own.example",
		recorded).CombinedOutput()
	if limited.Err() != nil || bytes.Contains(out, []byte("goroutine ")) {
		must.Fatalf("check: %w: %.300s", err, out)
	}
	return a.took
}

// tryAliases checks by a document of aliases.
func (t *trial) tryAliases(ctx context.Context) time.Duration {
	file := t.file("laughs.yaml")
	must.Do(os.WriteFile(file, []byte(laughs(10)), 0o600))
	begin := time.Now()
	out, err := exec.CommandContext(ctx, t.binary, "check", "--spec", "workflow="+file, file).CombinedOutput()
	took := time.Since(begin)
	if err == nil || took > 2*promptAnswer {
		must.Fatalf("aliases: %w after %v: %.300s", err, ms(took), out)
	}
	return took
}
