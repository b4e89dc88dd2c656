package judge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
)

// values are what a field may hold: on both sides of every bound of the document, and what is no value of its type.
var values = []string{
	`"a"`, `"b"`, `"abcde"`, `"abcdef"`, `""`, `"äöüßé"`, `"big"`, `"small"`, `"huge"`, `"cat"`, `"dog"`, `1`, `2`, `0`, `-1`, `1.5`,
	`1.0`, `1e3`, `99999999999`, `null`, `true`, `false`, `{}`, `[]`, `{"name":"x"}`, `{"name":1}`, `{"x":1}`, `["a"]`, `["a","b"]`,
	`["a","b","c"]`, `[1]`, `"2026-05-04T00:00:00Z"`, `"2026-05-05T00:00:00Z"`, `"2026-02-31T00:00:00Z"`, `"2026-05-04t00:00:00z"`,
	`"5a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b3"`, `"6a0d3c1e-7b62-4f0e-9d14-1c8e62f0a7b4"`, `"5A0D3C1E-7B62-4F0E-9D14-1C8E62F0A7B3"`,
}

var fields = []string{
	"id", "secret", "name", "kind", "at", "uuid", "owner", "labels", "free", "tags", "weight", "meow", "bark", "other",
}

func randomBody(random *rand.Rand) string {
	var parts []string
	used := map[string]bool{}
	for range random.IntN(5) {
		field := fields[random.IntN(len(fields))]
		if !used[field] {
			parts = append(parts, fmt.Sprintf("%q:%s", field, values[random.IntN(len(values))]))
		}
		used[field] = true
	}
	if !used["name"] && random.IntN(3) > 0 {
		parts = append(parts, `"name":"a"`)
	}
	body := "{" + strings.Join(parts, ",") + "}"
	if random.IntN(4) == 0 {
		return "[" + body + "," + body + "]"
	}
	return body
}

// outcome is all that is said of a body as an answer of several operations.
func outcome(j *judge.Judge, body string) []string {
	var list []string
	for _, tk := range []talk{
		{"GET /things/7", "", 200, body, nil},
		{"GET /things?limit=3", "", 200, body, header(total, "1")},
		{"POST /things", body, 201, `{"name":"a"}`, nil},
		{"POST /pets", body, 200, body, nil},
	} {
		r := j.Exchange(tk.item())
		list = append(list, fmt.Sprint(r.Checks), strings.Join(told(r), "\n"), strings.Join(seenIn(r), "\n"))
	}
	return list
}

// What is remembered of a class is what would be said of each of its messages.
func TestClassesChangeNoVerdict(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	j := probe(t)
	n := 800
	if testing.Short() {
		n = 100
	}
	for range n {
		body := randomBody(random)
		if diff := cmp.Diff(outcome(probe(t), body), outcome(j, body)); diff != "" {
			t.Fatalf("%s (-alone +among others):\n%s", body, diff)
		}
	}
}

func TestClassesOfParametersChangeNoVerdict(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for _, limit := range []string{"1", "2", "10", "11", "0", "-1", "x", "", "007", "1.0", "99999999999", "1&limit=99", "2&limit=98", "%31"} {
		for _, id := range []string{"1", "7", "0", "-3", "x", "%37"} {
			edit := func(i *capture.Item) { header(total, "1")(i) }
			for _, tk := range []talk{
				{"GET /things?limit=" + limit + "&ids=" + id, "", 200, `[]`, edit},
				{"GET /things/" + id, "", 200, `{"name":"a"}`, nil},
			} {
				alone, among := probe(t).Exchange(tk.item()), j.Exchange(tk.item())
				if diff := cmp.Diff(append(told(alone), seenIn(alone)...), append(told(among), seenIn(among)...)); diff != "" {
					t.Errorf("%s (-alone +among others):\n%s", tk.line, diff)
				}
			}
		}
	}
}

func TestClassesOfTextsChangeNoVerdict(t *testing.T) {
	t.Parallel()
	j := probe(t)
	texts := []string{
		"orders", "events", "orders.json", "orders_2", "ORDERS", "false", "falsehood", "infinity", "null", "nullable", "a,b,c,d", "123456",
		"e12345", "trino", "presto-1", "x%20yyyy", "x+yyyyyy", "[redacted:1a2b3c4d]", strings.Repeat("a", 200), "äöüßéè", "orders;x", "-orders",
	}
	for range 2 {
		for _, text := range texts {
			for _, tk := range []talk{
				{"GET /tail/" + text, "", 200, "", nil},
				{"GET /tail/" + text + ".json", "", 200, "", nil},
				{"POST /jobs/" + text + "?dry=" + text, `{"query":"q"}`, 200, "", nil},
				{"POST /jobs/trino", `{"query":"q"}`, 200, "", requestHeader("X-Second-Key", text)},
				{"GET /pages?filter[name]=" + text, "", 200, "", nil},
				{"GET /things?ids=" + text + "&limit=" + text, "", 200, `[]`, nil},
			} {
				alone, among := probe(t).Exchange(tk.item()), j.Exchange(tk.item())
				if diff := cmp.Diff(append(told(alone), seenIn(alone)...), append(told(among), seenIn(among)...)); diff != "" {
					t.Errorf("%s (-alone +among others):\n%s", tk.line, diff)
				}
			}
		}
	}
}

func FuzzClass(f *testing.F) {
	for _, value := range values {
		f.Add(`{"name":"a","kind":` + value + `}`)
	}
	j := probe(f)
	f.Fuzz(func(t *testing.T, body string) {
		if diff := cmp.Diff(outcome(probe(t), body), outcome(j, body)); diff != "" {
			t.Fatalf("%q (-alone +among others):\n%s", body, diff)
		}
	})
}
