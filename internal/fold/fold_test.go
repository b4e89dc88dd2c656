package fold_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/fold"
)

// isStep reports whether a word is a step of the tests.
func isStep(name string) bool {
	return slices.Contains([]string{
		"GET", "POST", "match", "capture", "as", "poll", "archive", "says", "header", "clock",
	}, name)
}

// unfold returns the steps of lines, each as its words. Lines with a condition are one.
func unfold(t *testing.T, lines []string) (steps [][]string) {
	t.Helper()
	for _, line := range lines {
		words, err := fold.Words(line)
		if err != nil {
			t.Fatal(err)
		}
		list, err := fold.Steps(words, isStep)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		steps = append(steps, list...)
	}
	return steps
}

func TestLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ steps, want string }{
		"what follows joins its request": {
			"POST /a 201 1.json\ncapture POOL id\nmatch 2.json\nGET /a 200",
			"POST /a 201 1.json then capture POOL id then match 2.json\nGET /a 200",
		},
		"a key joins the request that shows it": {"as 1/ada\nGET /a", "as 1/ada then GET /a"},
		"requests that differ in values are one line": {
			"GET /a/31/x 200\nmatch 1.json\nGET /a/32/x 200\nmatch 2.json\nGET /b 200",
			"each GET /a/{31,32}/x 200 then match {1,2}.json\nGET /b 200",
		},
		"so are those that capture": {
			"POST /a\ncapture A id\nPOST /a\ncapture A_2 id", "each POST /a then capture {A,A_2} id",
		},
		"a name is known from the next line on": {
			"POST /a\ncapture A id\nGET /a/$A", "POST /a then capture A id\nGET /a/$A",
		},
		"captured values stand in no braces": {"POST /a/$A\nPOST /a/$B", ""},
		"requests that read share lines, by other keys, too": {
			"GET /a\nmatch 1.json\nas 1/ada\nGET /b 403\nGET /c/$A",
			"GET /a then match 1.json then as 1/ada then GET /b 403 then GET /c/$A",
		},
		"but not with what they capture": {
			"GET /a\ncapture A id\nGET /b/$A", "GET /a then capture A id\nGET /b/$A",
		},
		"and not with those that write": {
			"GET /a\nas 1/ada\nPOST /b\nGET /c", "GET /a\nas 1/ada then POST /b\nGET /c",
		},
		"a name is not cut": {"GET /a/x/$A_1\nGET /a/y/$A_1", "each GET /a/{x,y}/$A_1"},
		"conditions and comments stay": {
			"# A.\n[mock] clock advance 1s\nGET /a", "# A.\n[mock] clock advance 1s\nGET /a",
		},
		"JSON and patterns with braces stay":     {"GET /a\nheader X '^a{1,3}$'\nmatch '{\"a\": 1}'", ""},
		"quoted words are the same, or not one":  {"GET '/a b' 1.json\nGET '/a c' 1.json", ""},
		"what is alike in all but its form stay": {"POST /a\nPOST /a 200", ""},
		"equal steps stay":                       {"POST /a\nPOST /a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := strings.Split(test.steps, "\n")
			got := fold.Lines(steps)
			t.Log(strings.Join(got, "\n"))
			if want := strings.Split(test.want, "\n"); test.want != "" && !slices.Equal(got, want) {
				t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
			}
			if diff := cmp.Diff(unfold(t, steps), unfold(t, got)); diff != "" {
				t.Errorf("other steps (-want +got)\n%s", diff)
			}
		})
	}
}

// Folded lines stand for the same steps in the same order, whatever these are.
func TestLines_are_exact(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[chance.IntN(len(of))] }
	for range 5000 {
		var steps []string
		for range 1 + chance.IntN(12) {
			path := "/" + pick("a", "b", "a/$A", "a/{1,2}", "ä") + "/" + pick("1", "2", "$A", "$B", "x.y", "{", "'q r'")
			steps = append(steps, pick(
				"GET "+path, "GET "+path+" 200", "POST "+path+" 201 "+pick("1", "2")+".json", "match "+pick("1", "2", "3")+".json",
				"match "+pick(`'{"a": [1,2]}'`, `'{"a": "{1,2}"}'`), "capture "+pick("A", "B")+" id", "as "+pick("1/a", "1/b"),
				"says then", "# "+path, "[mock] clock advance 1s", "header X "+pick("a", "'^a{1,2}'"), "poll "+path+" 1.json",
				fmt.Sprintf("archive %d.gz %[1]d", chance.IntN(3)),
			))
		}
		got := fold.Lines(steps)
		if diff := cmp.Diff(unfold(t, steps), unfold(t, got)); diff != "" {
			t.Fatalf("%s\n-->\n%s\n%s", strings.Join(steps, "\n"), strings.Join(got, "\n"), diff)
		}
		if len(got) > len(steps) {
			t.Errorf("more lines: %q", got)
		}
	}
}

func TestSteps_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"each GET /a":                     "each needs values: want some in braces, as in {1,2}",
		"each GET /a/{1,2} match {1,2,3}": "{1,2,3} has 3 values: want 2, as many as the one before it has",
	} {
		words, _ := fold.Words(line)
		if _, err := fold.Steps(words, isStep); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
