package validate_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// bombs returns values that are short as gzip and cost much to whoever reads all that they unpack to.
var bombs = sync.OnceValue(func() map[string]string {
	many := func(n int, value string) string { return "[" + strings.Repeat(value+",", n-1) + value + "]" }
	keys := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%s,`, i, value)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	list := map[string]string{
		"zeros":                     many(12_500_000, "0"),
		"as many zeros as may be":   many(190_000, "0"),
		"lists":                     many(3_000_000, "[[]]"),
		"as many lists as may be":   many(95_000, "[[]]"),
		"objects":                   many(5_000_000, "{}"),
		"as many objects as may be": many(190_000, "{}"),
		"digits":                    strings.Repeat("7", 15<<20),
		"too many digits":           strings.Repeat("7", 40<<20),
		"digits of a fraction":      "0." + strings.Repeat("7", 15<<20),
		"digits of an exponent":     "1e" + strings.Repeat("7", 15<<20),
		"a long text":               `"` + strings.Repeat("x", 15<<20) + `"`,
		"a long text of escapes":    `"` + strings.Repeat(`\u0001`, 2<<20) + `"`,
		"a text too long":           `"` + strings.Repeat("x", 40<<20) + `"`,
		"a long key":                `{"` + strings.Repeat("k", 15<<20) + `":1}`,
		"a long key of quotes":      `{"` + strings.Repeat(`\"`, 7<<20) + `":1}`,
		"many keys":                 keys(95_000, "{}"),
		"one key many times":        "{" + strings.Repeat(`"a":1,`, 95_000) + `"a":1}`,
		"depth":                     strings.Repeat("[", 5_000_000),
		"depth that ends":           strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
		"depth of objects":          strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
		"blanks":                    strings.Repeat(" ", 40<<20) + "1",
	}
	for name, text := range list {
		list[name] = packed(text)
	}
	return list
})

// packed returns a text as gzip. Such texts can be joined.
func packed(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one that there is
	_, _ = io.WriteString(w, text)                  // nothing fails in memory
	_ = w.Close()
	return b.String()
}

// A request to the control interface costs what its body is long, not what it unpacks to.
func TestNoControlBodyIsABomb(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
	doc, err := specs.Load(specs.Control, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	mocktest.Call(t, s, "PUT", "/_understudy/state", "{}").Want(http.StatusOK) // the schema is compiled

	half := 0 // of the bombs, in turn: one reader reads the bodies of all operations
	for _, operation := range doc.All() {
		if operation.Spec.RequestBody == nil {
			continue
		}
		half = 1 - half
		path := "/_understudy" + strings.ReplaceAll(operation.Path, "{world}", "default")
		members := slices.Sorted(maps.Keys(operation.JSONBody().Properties))
		members = append(members, "unknown", "")
		if strings.HasSuffix(path, "/stubs") { // whose body is as large as its author wants it
			members = slices.DeleteFunc(members, func(name string) bool { return name == "body" })
		}
		for i, name := range slices.Sorted(maps.Keys(bombs())) {
			if i%2 != half {
				continue
			}
			member := members[i/2%len(members)]
			body := bombs()[name]
			if member != "" {
				body = packed(fmt.Sprintf(`{%q:`, member)) + body + packed("}")
			}
			survives(t, s, name+" in "+member, operation.Method, path, body, "Content-Encoding", "gzip")
		}
	}
}

// A state may be YAML, which can say much in few words.
func TestNoStateIsABomb(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "PUT", "/_understudy/state", "{}").Want(http.StatusOK) // the schema is compiled
	laughs := "a: &a0 [1,1,1,1,1,1,1,1,1]\n"
	for i := range 9 {
		laughs += fmt.Sprintf("b%d: &a%d [%s*a%d]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	for name, text := range map[string]string{
		"aliases":      laughs,
		"a flow list":  "[" + strings.Repeat("0,", 12_500_000) + "0]",
		"a block list": strings.Repeat("- 0\n", 6_000_000),
		"nested lists": strings.Repeat("- - - - - - 0\n", 2_000_000),
		"a mapping":    "a:\n" + strings.Repeat("  ? b\n", 4_000_000),
		"depth":        strings.Repeat("[", 2_000_000),
	} {
		survives(t, s, name, "PUT", "/_understudy/state", packed(text), "Content-Encoding", "gzip", "Content-Type",
			"application/yaml")
	}
}

// survives fails if a request costs much, or is answered at length.
func survives(t *testing.T, s http.Handler, name, method, path, body string, headers ...string) {
	t.Helper()
	const (
		most    = 200 << 20 // bytes, of which the process never holds all; buffers that wait to be used again may be lost
		longest = 25_000    // bytes
	)
	before := mocktest.Allocated()
	a := mocktest.Call(t, s, method, path, body, headers...)
	cost := mocktest.Allocated() - before
	if cost > most || len(a.Body) > longest || a.Status >= http.StatusInternalServerError {
		t.Errorf("%s %s, %s: %d bytes cost %d MiB, want at most %d, and are answered with %d and %d bytes: %.300s",
			method, path, name, len(body), cost>>20, most>>20, a.Status, len(a.Body), a.Body)
	}
}
