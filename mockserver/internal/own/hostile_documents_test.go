package own_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

// A document that is large, or made to take for ever, is served or refused within bounds of memory and time.
//
//nolint:paralleltest // others would allocate as well
func TestHostileDocumentsAreServedOrRefusedWithinBounds(t *testing.T) {
	var operations, cycle, enum, laughs strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&operations, "  /a%d: {get: {responses: {'200': {description: x, content: {application/json: {schema: "+
			"{$ref: '#/components/schemas/S'}}}}}}}\n", i)
		fmt.Fprintf(&enum, "v%d, ", i)
	}
	for i := range 60 { // each of which refers to all
		fmt.Fprintf(&cycle, "    S%d: {type: object, properties: {", i)
		for j := range 60 {
			fmt.Fprintf(&cycle, "p%d: {$ref: '#/components/schemas/S%[1]d'}, ", j)
		}
		cycle.WriteString("name: {type: string}}, required: [name]}\n")
	}
	laughs.WriteString("x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	for i := range 20 {
		fmt.Fprintf(&laughs, "x-%d: &a%[1]d [%s*a%d]\n", i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	of := func(schema string) string {
		return "paths:\n  /a0: {get: {responses: {'200': {description: x, content: {application/json: {schema: " + schema +
			"}}}}}}\n"
	}
	levels := func(word string) string {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, "    S%d: {%s: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%[3]d'}]}\n", i, word, i+1)
		}
		return b.String() + "    S100: {type: object, properties: {x: {type: string}}}\n"
	}
	const first = "{$ref: '#/components/schemas/S0'}"
	for name, test := range map[string]struct {
		text   string
		status int // of GET /a0; 0: the document is refused
		want   string
	}{
		"3,000 operations": {
			"paths:\n" + operations.String() + "components: {schemas: {S: {type: object, properties: {a: {enum: [1]}}}}}\n", 200, "",
		},
		"schemas that all refer to all": {of(first) + "components:\n  schemas:\n" + cycle.String(), 200, `"name":`},
		"oneOf, 100 levels": {
			of(first) + "components:\n  schemas:\n" + levels("oneOf"), 501, "cannot make an answer",
		},
		"anyOf, 100 levels": {
			of(first) + "components:\n  schemas:\n" + levels("anyOf"), 501, "cannot make an answer",
		},
		"allOf, 100 levels": {of(first) + "components:\n  schemas:\n" + levels("allOf"), 501, "cannot make an answer"},
		"anchors that multiply": {
			laughs.String() + of("{}"), 0, "shop.yaml: line 3: the document has too many values after resolving aliases",
		},
		"a large enum":      {of("{type: string, enum: [" + enum.String() + "last]}"), 200, `"v`},
		"a billion items":   {of("{type: array, items: {type: string}, minItems: 1000000000}"), 501, "cannot make an answer"},
		"a billion letters": {of("{type: string, minLength: 1000000000}"), 501, "cannot make an answer"},
		"a long pattern":    {of("{type: string, pattern: '^((a{1,100}){1,100}){1,100}$'}"), 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shop.yaml")
			text := "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\n" + test.text
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := cpuTime(t)
			status, answer := 0, ""
			server, err := mockserver.New(mockserver.WithSpec("shop", file), mockserver.WithInterfaces("shop"))
			if err != nil {
				answer = err.Error()
			} else {
				w := httptest.NewRecorder()
				server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/shop/a0", http.NoBody))
				status, answer = w.Code, w.Body.String()
				_ = server.Close()
			}
			took := cpuTime(t) - began
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			isServed := test.status == http.StatusNotImplemented && status == http.StatusOK
			if !isServed && (status != test.status || !strings.Contains(answer, test.want)) {
				t.Errorf("%d %.500s, want %d %s", status, answer, test.status, test.want)
			}
			if allocated > 512 || took > time.Minute {
				t.Errorf("it took %s of CPU, and %d MiB in all", took, allocated)
			}
			t.Logf("%s of CPU, %d MiB in all", took, allocated)
		})
	}
}

// cpuTime returns the CPU time that the process has taken, as far as Go knows.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	runtime.GC() // which brings it up to date
	samples := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(samples)
	return time.Duration(samples[0].Value.Float64() * float64(time.Second))
}
