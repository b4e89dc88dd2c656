package rule_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/rule"
)

// What every rule is tried with: what it must find, what it must let pass and what is inconclusive; and then what looks
// like a violation but is not one. Worlds, servers, files and clocks are in separations_test.go: they are the same for
// all.
const (
	violated     = "violated"
	held         = "held"
	inconclusive = "inconclusive"

	madeAnew      = "made anew under another id, or under its name"
	idReused      = "its id is given again"
	deletedTwice  = "a deletion that is repeated"
	refused       = "what would have mattered was refused"
	unanswered    = "what would have mattered was not answered, or only put off"
	otherVerbs    = "another operation changed what matters"
	unknownBefore = "the recording begins in the middle of a life"
	underWay      = "requests under way at the same time"
	partOfList    = "one page of a list, or a filtered one"
	hiddenKeys    = "keys that are hidden"
)

func trials() []string {
	return []string{
		violated, held, inconclusive, madeAnew, idReused, deletedTwice, refused, unanswered, otherVerbs, unknownBefore,
		underWay, partOfList, hiddenKeys,
	}
}

// trial is a recording with what the rule says of it, or why there can be none.
type trial struct {
	ruleCase
	never string
}

func says(script string, want ...string) trial { return trial{ruleCase: ruleCase{script, want}} }

func never(why string) trial { return trial{never: why} }

// allTrials are the trials of each rule. Each has them all: TestEveryRuleIsTried would miss one.
func allTrials() map[string]map[string]trial {
	return map[string]map[string]trial{
		rule.Role: roleTrials(), rule.PoolDeletion: poolDeletionTrials(), rule.DefaultPool: defaultPoolTrials(),
		rule.PoolRuleOrder: poolRuleOrderTrials(), rule.AttemptResume: attemptResumeTrials(),
		rule.TokenRevocation: tokenRevocationTrials(), rule.SubUserRemoval: subUserRemovalTrials(),
		rule.TableRecovery: tableRecoveryTrials(), rule.DWHDeletion: dwhDeletionTrials(), rule.DWHTarget: dwhTargetTrials(),
		rule.UseAfterDelete: useAfterDeleteTrials(), rule.IngestionSize: ingestionSizeTrials(),
		rule.IngestionAuth: ingestionAuthTrials(), rule.IngestionTime: ingestionTimeTrials(),
		rule.Consistency: consistencyTrials(),
	}
}

func TestEveryRuleIsTried(t *testing.T) {
	t.Parallel()
	all := allTrials()
	if d := cmp.Diff(slices.Sorted(slices.Values(rule.Names())), slices.Sorted(maps.Keys(all))); d != "" {
		t.Fatalf("rules in allTrials, each with a trial of every name in trials (-want +got):\n%s", d)
	}
	for id, trials := range all {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for _, name := range missing(trials) {
				t.Errorf("there is no trial of %s", name)
			}
			cases := map[string]ruleCase{}
			for name, tt := range trials {
				if tt.never == "" {
					cases[name] = tt.ruleCase
				}
			}
			runRule(t, id, cases)
		})
	}
}

// missing lists what a rule is not tried with. A trial is the one that it is called when its verdict is: no near miss
// is a violation, and what must be found, pass, or be left open is.
func missing(all map[string]trial) []string {
	verdict := map[string]string{violated: "fail ", held: "pass ×", inconclusive: "inconclusive "}
	var list []string
	for _, name := range trials() {
		tt, there := all[name]
		is := func(verdict string) bool {
			return slices.ContainsFunc(tt.want, func(w string) bool { return strings.HasPrefix(w, verdict) })
		}
		wanted, isVerdict := verdict[name]
		switch {
		case !there, isVerdict && (tt.never != "" || !is(wanted)):
			list = append(list, name)
		case !isVerdict && is("fail "):
			list = append(list, name+" that is no violation")
		}
	}
	for name := range all {
		if !slices.Contains(trials(), name) {
			list = append(list, "what is called "+name)
		}
	}
	return list
}
