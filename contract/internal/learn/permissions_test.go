package learn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/specs/recording"
)

// learnedAccount holds the users of a scenario, and their rights.
type learnedAccount struct {
	Account struct {
		Users []struct {
			Name, Email, Role, Parent string
			DelegatedAdmin            bool `yaml:"delegatedAdmin"`
			Policies, Groups, Manages []string
			Permissions               map[string]any
			Options                   map[string]string
		}
		Keys     []struct{ Key, User, Kind string }
		Policies []struct {
			Name                   string
			Permissions, Databases map[string]any
		}
		ProfileOptions []struct{ Key, Default string } `yaml:"profileOptions"`
	}
}

// rightsIn returns the users, policies and keys that are learned of a recording, a line each. A line of the recording
// has the key, the method, the path below that of the core interface, the status, and the bodies of request and answer.
func rightsIn(t *testing.T, text string) string {
	t.Helper()
	scenario, err := learnRights(t.Context(), t, text, checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(scenario.Notes) > 0 {
		t.Errorf("notes %q", scenario.Notes)
	}
	return accountOf(t, scenario)
}

func learnRights(
	ctx context.Context, t *testing.T, text string, build contract.BuildLearned, options ...contract.Option,
) (*contract.Learned, error) {
	t.Helper()
	c, err := contract.NewChecker(options...)
	if err != nil {
		t.Fatal(err)
	}
	var list []*recording.Exchange
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			list = append(list, permissionExchange(t, len(list)+1, line))
		}
	}
	return c.Learn(ctx, contract.Exchanges(slices.Values(list)), build)
}

func accountOf(t *testing.T, scenario *contract.Learned) string {
	t.Helper()
	var a learnedAccount
	if err := yaml.Unmarshal(scenario.Scenario, &a); err != nil {
		t.Fatalf("%v\n%s", err, scenario.Scenario)
	}
	return a.lines()
}

// A search for rights ends with its effort or its context: what was found until then is learned, and a note says so.
func TestLearningEndsEarly(t *testing.T) {
	t.Parallel()
	const name = "a policy that no answer shows"
	recorded := permissionCases[name]
	counted := func(t *testing.T, tries *int, then func()) contract.BuildLearned {
		t.Helper()
		start := checktest.Build(t)
		return func(learned *contract.Learned) (contract.Subject, error) {
			*tries++
			then()
			return start(learned)
		}
	}
	whole := 0
	if _, err := learnRights(t.Context(), t, recorded.recording, counted(t, &whole, func() {})); err != nil || whole < 4 {
		t.Fatalf("%d tries, %v: the search is too short to end early", whole, err)
	}
	for effort, most := range map[int]int{0: 1, 7: 3} { // of five exchanges
		tries := 0
		learned, err := learnRights(t.Context(), t, recorded.recording, counted(t, &tries, func() {}),
			contract.WithEffort(effort))
		if err != nil || tries > most {
			t.Errorf("effort %d: %d tries, %v; want up to %d", effort, tries, err, most)
		} else if !strings.Contains(strings.Join(learned.Notes, "\n"), "the search for who may do what ended at its effort of") {
			t.Errorf("effort %d: notes %q", effort, learned.Notes)
		}
	}
	if _, err := contract.NewChecker(contract.WithEffort(-1)); err == nil {
		t.Error("an effort of less than nothing is taken")
	}

	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	learned, err := learnRights(ctx, t, recorded.recording, counted(t, &tries, func() {
		if tries == 3 {
			cancel()
		}
	}))
	if !errors.Is(err, context.Canceled) || learned == nil || tries != 3 {
		t.Fatalf("interrupted at the third of %d tries: %v", tries, err)
	}
	if got := accountOf(t, learned); !strings.Contains(got, "user3@account.example: restricted, has analysts") {
		t.Errorf("interrupted: %s", got)
	}
	if _, err := checktest.Build(t)(learned); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}

func permissionExchange(t *testing.T, n int, line string) *recording.Exchange {
	t.Helper()
	words := append(strings.SplitN(strings.TrimSpace(line), " ", 6), "", "")
	status, err := strconv.Atoi(words[3])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	at := time.Date(2026, 1, 15, 9, 30, n, 0, time.UTC)
	isJSON := recording.Headers{{"Content-Type", "application/json"}}
	path := words[2]
	if !strings.HasPrefix(path, "/ingestion/") {
		path = "/core/v3" + path
	}
	e := &recording.Exchange{
		Seq: int64(n), Start: at, End: at,
		Request: recording.Request{
			Method: words[1], URL: "http://127.0.0.1:4010" + path,
			Headers: append(recording.Headers{{"Authorization", "SVC1 1/" + words[0]}}, isJSON...),
		},
		Response: &recording.Response{Status: status, Headers: isJSON, Body: &recording.Body{Bytes: []byte(words[5])}},
	}
	if words[4] != "-" && words[4] != "" {
		e.Request.Body = &recording.Body{Bytes: []byte(words[4])}
	}
	return e
}

// lines returns the users, policies, options and keys, a line each.
func (a *learnedAccount) lines() string {
	var b strings.Builder
	for _, u := range a.Account.Users {
		name := u.Email
		if name == "" || u.Name != "" && !strings.HasPrefix(u.Name, "User ") {
			name = u.Name
		}
		fmt.Fprintf(&b, "%s: %s", name, u.Role)
		for _, list := range []struct {
			word  string
			items []string
		}{{"has", u.Policies}, {"tagged", u.Groups}, {"manages", u.Manages}} {
			if len(list.items) > 0 {
				fmt.Fprintf(&b, ", %s %s", list.word, strings.Join(list.items, " "))
			}
		}
		if u.DelegatedAdmin {
			b.WriteString(", delegated")
		}
		for _, more := range []string{notEmpty(u.Permissions), notEmpty(u.Options)} {
			if more != "" {
				b.WriteString(", " + more)
			}
		}
		b.WriteString("\n")
	}
	for _, p := range a.Account.Policies {
		fmt.Fprintf(&b, "%s grants %s%s\n", p.Name, notEmpty(p.Permissions), notEmpty(p.Databases))
	}
	for _, o := range a.Account.ProfileOptions {
		fmt.Fprintf(&b, "option %s %s\n", o.Key, o.Default)
	}
	for _, k := range a.Account.Keys {
		fmt.Fprintf(&b, "%s: %s, %s\n", k.Key, k.User, k.Kind)
	}
	return b.String()
}

func notEmpty[V any](m map[string]V) string {
	if len(m) == 0 {
		return ""
	}
	return strings.TrimPrefix(fmt.Sprint(m), "map")
}

func TestLearnPermissions(t *testing.T) {
	t.Parallel()
	for name, test := range permissionCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), rightsIn(t, test.recording)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
