package contract_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// numbered returns a recording whose exchanges have these numbers, each in the world w unless another is named before
// it.
func numbered(numbers ...any) string {
	var b strings.Builder
	world := "w"
	for _, n := range numbers {
		if name, ok := n.(string); ok {
			world = name
			continue
		}
		fmt.Fprintf(&b, `{"seq":%v,"world":%q,"request":{"method":"GET","url":"https://workflow.svc.example/api/pools",`+
			`"headers":[["Authorization","SVC1 x"]]},"response":{"status":200,"headers":[["Content-Type","application/json"]],`+
			`"body":{"text":"{\"pools\":[]}"}}}`+"\n", n, world)
	}
	return b.String()
}

// gapsOf checks recordings as one, and returns what is missing.
func gapsOf(t *testing.T, complete bool, recordings ...string) *contract.Report {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithGaps(complete))
	if err != nil {
		t.Fatal(err)
	}
	var sources []contract.Source
	for i, text := range recordings {
		sources = append(sources, contract.Read(fmt.Sprint("file", i), strings.NewReader(text)))
	}
	r, err := checker.Check(t.Context(), func(yield func(contract.Record, error) bool) {
		for _, source := range sources {
			for record, err := range source {
				if !yield(record, err) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGaps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		recordings      []string
		usual, complete []string
	}{
		"nothing is missing": {[]string{numbered(1, 2, 3)}, nil, nil},
		"a hole": {
			[]string{numbered(1, 2, 5)},
			[]string{"file0 w 3-4"},
			[]string{"file0 w 3-4"},
		},
		"each world has numbers of its own": {
			[]string{numbered("a", 1, "b", 1, "a", 3, "b", 2)},
			[]string{"file0 a 2-2"},
			[]string{"file0 a 2-2"},
		},
		"it begins in the middle":  {[]string{numbered(7, 8)}, nil, []string{"file0 w 1-6"}},
		"a second run begins anew": {[]string{numbered(1, 2, 3, 1, 2)}, nil, nil},
		"a second run has a hole": {
			[]string{numbered(1, 2, 3, 1, 3)},
			[]string{"file0 w 2-2"},
			[]string{"file0 w 2-2"},
		},
		"two runs that are mixed lack nothing": {[]string{numbered(1, 1, 2, 3, 2, 3)}, nil, nil},
		"two runs that are mixed lack the same": {
			[]string{numbered(1, 1, 2, 5, 2, 5)},
			[]string{"file0 w 3-4"},
			[]string{"file0 w 3-4"},
		},
		"neighbours that have changed places": {[]string{numbered(1, 3, 2, 4)}, nil, nil},
		"another file goes on":                {[]string{numbered(1, 2), numbered(3, 4)}, nil, nil},
		"another file goes on later":          {[]string{numbered(1, 2), numbered(4)}, nil, []string{"file1 w 3-3"}},
		"files of every other exchange":       {[]string{numbered(1, 3, 5), numbered(2, 4)}, nil, nil},
		"a line of three goes to each file":   {[]string{numbered(3, 6), numbered(1, 4, 7), numbered(2, 5)}, nil, nil},
		"files that begin in the middle":      {[]string{numbered(7, 9), numbered(8, 10)}, nil, []string{"file0 w 1-6"}},
		"what no file of a run has": {
			[]string{numbered(1, 3, 5, 9), numbered(2, 4, 6, 8)}, []string{"file0 w 7-7"}, []string{"file0 w 7-7"},
		},
		"a part of a hole is in another file": {
			[]string{numbered(1, 2, 5, 9, 10, 11), numbered(3, 6, 7)},
			[]string{"file0 w 4-4", "file0 w 8-8"},
			[]string{"file0 w 4-4", "file0 w 8-8"},
		},
		"files that lack much of a run may be of several": {
			[]string{numbered(1, 9), numbered(4, 5)}, []string{"file0 w 2-8"}, []string{"file0 w 2-8", "file1 w 1-3"},
		},
		"files of two runs fill no holes": {
			[]string{numbered(1, 2, 5), numbered(1, 2, 3, 4)}, []string{"file0 w 3-4"}, []string{"file0 w 3-4"},
		},
		"files of two worlds fill no holes": {
			[]string{numbered("a", 1, 3), numbered("b", 2, 4)},
			[]string{"file0 a 2-2", "file1 b 3-3"},
			[]string{"file0 a 2-2", "file1 b 1-1", "file1 b 3-3"},
		},
		"what has no numbers cannot lack any": {
			[]string{strings.ReplaceAll(numbered(5, 9), `"seq"`, `"overlaps"`)},
			nil,
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for complete, want := range map[bool][]string{false: tt.usual, true: tt.complete} {
				r := gapsOf(t, complete, tt.recordings...)
				var got []string
				for _, g := range r.Gaps {
					got = append(got, fmt.Sprintf("%s %s %d-%d", g.File, g.World, g.First, g.Last))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("complete: %v (-want +got):\n%s", complete, diff)
				}
				if r.Failed() != (complete && len(want) > 0) {
					t.Errorf("complete: %v: failed is %v", complete, r.Failed())
				}
			}
		})
	}
}

// A recording with more holes than are kept lacks at least those that are.
func TestManyGaps(t *testing.T) {
	t.Parallel()
	var odd []any
	for n := range 3000 {
		odd = append(odd, 2*n+1)
	}
	r := gapsOf(t, true, numbered(odd...))
	if len(r.Gaps) != 1000 || !r.Failed() {
		t.Errorf("%d gaps, failed is %v", len(r.Gaps), r.Failed())
	}
}

func TestGapsAreShown(t *testing.T) {
	t.Parallel()
	for _, complete := range []bool{false, true} {
		r := gapsOf(t, complete, numbered(1, 2, 5, 7))
		for _, format := range []string{"text", "json", "junit", "sarif"} {
			var b bytes.Buffer
			if err := r.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "3 to 4") &&
				!strings.Contains(text, `"first": 3, "last": 4`) {
				t.Errorf("%s does not show what is missing", format)
			}
		}
	}
}

func TestAnEmptyRecordingIsCalledEmpty(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	_, err = checker.Check(t.Context(), contract.Read("empty.har", strings.NewReader(`{"log":{"entries":[]}}`)))
	if err == nil || !strings.Contains(err.Error(), "empty.har") || !strings.Contains(err.Error(), "empty") {
		t.Errorf("error %v", err)
	}
}
