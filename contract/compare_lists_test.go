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

// How long a page is depends on its request, and on nothing that another one changed.
func TestAPageThatIsTooLongIsBlamedOnNothingElse(t *testing.T) {
	t.Parallel()
	session := func(id string) string { return `{"id":"` + id + `"}` }
	list := func(member string, ids ...string) string {
		items := make([]string, len(ids))
		for i, id := range ids {
			items[i] = session(id)
		}
		return `{"` + member + `":[` + strings.Join(items, ",") + `]}`
	}
	const workflow = "https://workflow.svc.example/api"
	for name, tt := range map[string]struct {
		address, member    string
		recorded, answered []string
		want               string // the rule
	}{
		"the recorded page":          {"/attempts?page_size=1", "attempts", []string{"9", "8"}, []string{"9"}, "different-value"},
		"the answered page":          {"/attempts?page_size=1", "attempts", []string{"9"}, []string{"9", "8"}, "different-value"},
		"both, of which one is more": {"/attempts?page_size=1", "attempts", []string{"9", "8"}, []string{"9", "8", "7"}, "different-value"},
		"a larger page":              {"/attempts?page_size=2", "attempts", []string{"9", "8", "7"}, []string{"9", "8"}, "different-value"},
		"projects":                   {"/projects?count=1", "projects", []string{"7", "8"}, []string{"7"}, "different-value"},
		"a page that is full":        {"/projects?count=2", "projects", []string{"7", "8"}, []string{"7"}, "different-behaviour"},
		"a list of any length":       {"/projects", "projects", []string{"7", "8"}, []string{"7"}, "different-behaviour"},
	} {
		changed := getting(workflow+"/attempts/5/kill", `{"id":"5"}`)
		changed.Request.Method = "POST"
		removed := getting(workflow+"/projects/5", `{"id":"5"}`)
		removed.Request.Method = "DELETE"
		r := compareWith(t, answering(200, "application/json", list(tt.member, tt.answered...)), changed, removed,
			getting(workflow+tt.address, list(tt.member, tt.recorded...)))
		var got []string
		for i := range r.Findings {
			if f := &r.Findings[i]; strings.HasPrefix(f.Pointer, "/response/body/"+tt.member+"/") {
				got = append(got, f.Rule)
			}
		}
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %q, want %s", name, got, tt.want)
		}
	}
}
