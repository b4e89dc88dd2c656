package contract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Things in a list that have no name correspond by what they have, whatever their ids and places are.
func TestListsOfNamelessThings(t *testing.T) {
	t.Parallel()
	rule := func(id, priority, prefix string) string {
		return `{"conditions":[{"operator":"starts_with","type":"project_name","values":["` + prefix + `"]}],"id":"` + id +
			`","poolId":"7` + id + `","priority":` + priority + `}`
	}
	list := func(rules ...string) string { return `{"poolRules":[` + strings.Join(rules, ",") + `]}` }
	const rules = "/body/poolRules"
	for name, tt := range map[string]struct {
		recorded, answered string
		want               []string
	}{
		"other ids":          {list(rule("1", "10", "a"), rule("2", "20", "b")), list(rule("5", "10", "a"), rule("6", "20", "b")), nil},
		"swapped":            {list(rule("1", "10", "a"), rule("2", "20", "b")), list(rule("6", "20", "b"), rule("5", "10", "a")), []string{"different-value " + rules + ": the items are in another order"}},
		"the first one lost": {list(rule("1", "10", "a"), rule("2", "20", "b")), list(rule("6", "20", "b")), []string{"different-value " + rules + "/0: an item was recorded that the answer lacks: " + rule("1", "10", "a")}},
		"one between":        {list(rule("1", "10", "a"), rule("2", "20", "b")), list(rule("5", "10", "a"), rule("9", "15", "x"), rule("6", "20", "b")), []string{"different-value " + rules + "/1: the answer has an item more than was recorded: " + rule("9", "15", "x")}},
		"one changed":        {list(rule("1", "10", "a"), rule("2", "20", "b")), list(rule("5", "11", "a"), rule("6", "20", "b")), []string{"different-value " + rules + "/0/priority: 10 was recorded, and 11 is answered"}},
		"all alike":          {list(rule("1", "10", "a"), rule("2", "10", "a")), list(rule("5", "10", "a"), rule("6", "10", "a")), nil},
	} {
		r := compareWith(t, answering(200, "application/json", tt.answered),
			getting("https://workflow.svc.example/api/pool_rules", tt.recorded))
		got := differences(r)
		for i := range got {
			got[i] = strings.Join(strings.Fields(got[i]), " ")
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
