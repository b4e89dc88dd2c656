package contract_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// project is one of workflow.
const project = `{"id":"1","name":"p","revision":"a","archiveType":"none","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`

// gets returns a recording of GETs, each with the JSON that answered it.
func gets(pairs ...string) contract.Source {
	var list []*recording.Exchange
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, getting(pairs[i], pairs[i+1]))
	}
	return contract.Exchanges(slices.Values(list))
}

// A recording of two installations and a local mock conforms however many of its bases are given in advance: a base of
// one interface makes none of another elsewhere, and what it takes the owner from is listed.
func TestAGivenBaseMakesNoOtherGuessesWrong(t *testing.T) {
	t.Parallel()
	const pool = `{"id":"1","name":"p","concurrencyLimit":1,"default":true}`
	source := gets(
		"https://one.acme.io/api/pools", `{"pools":[`+pool+`]}`,
		"https://one.acme.io/api/projects", `{"projects":[`+project+`]}`,
		"https://two.acme.io/api/projects", `{"projects":[`+project+`]}`,
		"https://two.acme.io/api/projects/1", project,
		"https://two.acme.io/api/pools/1", pool,
		"http://127.0.0.1:4010/workflow/api/pools", `{"pools":[]}`,
		"http://127.0.0.1:4010/workflow/api/projects", `{"projects":[]}`,
	)
	for name, tt := range map[string]struct {
		opts    []contract.Option
		matched int
		bases   []string
	}{
		"nothing is given": {
			nil, 7,
			[]string{"guessed workflow https://two.acme.io ×3", "guessed workflow https://one.acme.io ×2"},
		},
		"one is given": {
			[]contract.Option{contract.WithBaseURL("workflow", "https://one.acme.io")},
			4,
			[]string{"given workflow https://one.acme.io ×2"},
		},
		"another interface is given": {
			[]contract.Option{contract.WithBaseURL("core", "https://core.acme.io/v3")},
			7,
			[]string{
				"given core https://core.acme.io/v3 ×0",
				"guessed workflow https://two.acme.io ×3", "guessed workflow https://one.acme.io ×2",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checked(t, source, append(tt.opts, contract.WithGuess(true))...)
			if r.Exchanges.Matched != tt.matched || r.Checks.Fail > 0 {
				t.Errorf("%d matched, want %d; findings %+v", r.Exchanges.Matched, tt.matched, r.Findings)
			}
			if diff := cmp.Diff(tt.bases, basesOf(r)); diff != "" {
				t.Errorf("bases (-want +got):\n%s", diff)
			}
		})
	}
}

// Another service's /api/projects and /api/chats are not taken for those of an interface.
func TestAForeignBackendIsNoInterface(t *testing.T) {
	t.Parallel()
	source := gets(
		"https://app.acme.io/api/projects", `[{"title":"Roof"}]`,
		"https://app.acme.io/api/projects/7", `{"title":"Roof"}`,
		"https://app.acme.io/api/chats", `{"rooms":["lobby"]}`,
		"https://app.acme.io/api/chats/3", `{"room":"lobby"}`,
	)
	for name, opts := range map[string][]contract.Option{
		"nothing is given": nil, "workflow is given": {contract.WithBaseURL("workflow", "https://flow.acme.io")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := checker(t, append(opts, contract.WithGuess(true))...).Check(t.Context(), source)
			if !errors.Is(err, contract.ErrNothingMatched) || r.Exchanges.Unmatched != 4 || len(r.Findings) > 0 {
				t.Errorf("%v, %+v, findings %+v", err, r.Exchanges, r.Findings)
			}
			const note = "https://app.acme.io looked like llm, but 4 of 4 exchanges do not fit: they are not judged; " +
				"add --base llm=https://app.acme.io to judge them anyway"
			if !slices.Contains(r.Notes, note) {
				t.Errorf("notes %q, want %q", r.Notes, note)
			}
		})
	}
}

// Where as many exchanges fit one interface as another, neither is guessed, whichever has a base already.
func TestATieIsNobodys(t *testing.T) {
	t.Parallel()
	lines := []string{"GET https://x.acme.io/api/projects", "GET https://x.acme.io/api/projects/7"}
	const note = "x.acme.io fits llm and workflow equally well, in 2 exchanges: they are not judged; " +
		"add --base llm=https://x.acme.io or --base workflow=https://x.acme.io"
	for _, given := range []string{"", "llm", "workflow", "core"} {
		opts := []contract.Option{contract.WithGuess(true)}
		if given != "" {
			opts = append(opts, contract.WithBaseURL(specs.Interface(given), "https://given.acme.io"))
		}
		r, _ := checker(t, opts...).Check(t.Context(), asked(lines...))
		if diff := cmp.Diff([]string{note}, r.Notes); diff != "" || r.Exchanges.Unmatched != 2 {
			t.Errorf("given %q: %d without an owner, notes (-want +got):\n%s", given, r.Exchanges.Unmatched, diff)
		}
	}
	r := checked(t, asked(lines...), contract.WithGuess(true), contract.WithBaseURL("workflow", "https://x.acme.io"))
	if r.Exchanges.Matched != 2 || len(r.Notes) > 0 {
		t.Errorf("what the note asks for is not enough: %+v, notes %q", r.Exchanges, r.Notes)
	}
}

// The body says whose a path is that two interfaces have.
func TestBodiesDecideBetweenInterfaces(t *testing.T) {
	t.Parallel()
	const own = "https://x.acme.io/api/projects"
	for body, want := range map[string]string{
		`{"projects":[` + project + `]}`: "guessed workflow https://x.acme.io ×3",
		`{"projects":7}`:                 "",
	} {
		r, _ := checker(t, contract.WithGuess(true)).Check(t.Context(),
			gets(own, body, own+"?name=p", body, own+"/1", project))
		got := ""
		for _, base := range basesOf(r) {
			got = base
		}
		if got != want {
			t.Errorf("%s: bases %q, want %q", body, got, want)
		}
	}
}

// However many places a recording has, the work is bounded: an exchange is judged for each interface once, at most.
func TestGuessingIsBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("GET https://h%d.acme.io/api/pools", i),
			fmt.Sprintf("GET https://h%d.acme.io/api/attempts", i))
	}
	r := checked(t, asked(lines...), contract.WithGuess(true))
	if len(r.Bases) != 16 || r.Exchanges.Matched != 32 {
		t.Errorf("%d bases, %+v", len(r.Bases), r.Exchanges)
	}
}
