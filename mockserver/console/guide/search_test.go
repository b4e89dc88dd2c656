package guide_test

import (
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/console/guide"
)

// text returns an excerpt with its matches in brackets.
func text(h guide.Hit) string {
	var b strings.Builder
	for _, f := range h.Excerpt {
		if f.Match {
			b.WriteString("[" + f.Text + "]")
		} else {
			b.WriteString(f.Text)
		}
	}
	return b.String()
}

// TestSearch asks what people ask, and wants the place that answers it among the first three.
func TestSearch(t *testing.T) {
	t.Parallel()
	g := guide.New("")
	for q, want := range map[string]string{
		"getting started":      "guide/getting-started",
		"fixtures":             "guide/fixtures",
		"fixture":              "guide/fixtures",
		"configuration":        "guide/configuration",
		"frozen clock":         "guide/concepts#clocks",
		"exit codes":           "guide/ci#exit-codes",
		"WireMock":             "guide/coming-from",
		"serve https":          "guide/cookbook#serve-https",
		"--max-worlds":         "guide/configuration#serve",
		"queue result":         "guide/control#queue-a-result-for-a-query",
		"X-Understudy-World":   "guide/own-document#a-world-for-each-test-and-a-fault",
		"kubernetes liveness":  "guide/container",
		"retr":                 "guide/faults",
		"Ruby":                 "guide/languages#ruby",
		"retry":                "guide/client-recipes#retries",
		"429":                  "guide/limits-and-validation",
		"docker":               "guide/container",
		"expired token":        "guide/client-recipes#a-token-that-expires",
		"jenkins":              "guide/client-recipes#jenkins",
		"windows":              "guide/client-recipes#windows",
		"paging":               "guide/client-recipes#pages-of-a-list",
		"no such nonsenseword": "",
	} {
		hits := g.Search(q, 3)
		found := want == ""
		var got []string
		for _, h := range hits {
			found = found || h.Address == want || !strings.Contains(want, "#") && strings.HasPrefix(h.Address, want)
			got = append(got, h.Address)
		}
		if !found {
			t.Errorf("%q finds %q, want %s among them", q, got, want)
		}
	}
}

func TestExcerptsMarkWhatWasSearchedFor(t *testing.T) {
	t.Parallel()
	for _, q := range []string{"liveness", "journal", "retryAfter", "a", "world", "ПривеT", "<script>alert(1)"} {
		for _, h := range guide.New("").Search(q, 1000) {
			got := text(h)
			if h.Heading == "" && h.Title == "" || len(got) > 300 || len(got) == 0 {
				t.Errorf("%q: %+v has the excerpt %q", q, h, got)
			}
		}
	}
	hits := guide.New("").Search("--journal-limit", 5)
	if !slices.ContainsFunc(hits, func(h guide.Hit) bool {
		return strings.Contains(text(h), "[journal]") && strings.Contains(text(h), "[limit]")
	}) {
		t.Errorf("hits %+v, want one with both words marked", hits)
	}
}

func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	g := guide.New("")
	if hits := g.Search("world", 5); len(hits) != 5 {
		t.Errorf("%d hits, want 5", len(hits))
	}
	for _, q := range []string{"", "   ", "--", "\xff\xfe", strings.Repeat("é", 100_000)} {
		if hits := g.Search(q, 5); len(hits) != 0 {
			t.Errorf("%.20q finds %v", q, hits)
		}
	}
	if hits := g.Search("world", 0); hits != nil {
		t.Errorf("%d hits, want none", len(hits))
	}
	ofPage := map[string]int{}
	for _, h := range g.Search("world", 1000) {
		if ofPage[h.Slug]++; ofPage[h.Slug] > 3 {
			t.Fatalf("more than three hits of %s", h.Slug)
		}
	}
}

// FuzzSearch asks anything.
func FuzzSearch(f *testing.F) {
	f.Add("frozen clock")
	f.Add("İ ſ K \xff")
	g := guide.New("")
	f.Fuzz(func(t *testing.T, q string) {
		for _, h := range g.Search(q, 10) {
			if text(h) == "" {
				t.Errorf("%q finds %+v without an excerpt", q, h)
			}
		}
	})
}
