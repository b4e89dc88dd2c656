package dig_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/dig"
)

func TestPlanOfACallHoldsTheCalledWorkflow(t *testing.T) {
	t.Parallel()
	workflows := project(t, map[string]string{
		"a.dig": "+x: {call>: b.dig}\n+y: {loop>: 2, _do: {call>: ./b}}\n",
		"b.dig": "+z: {echo>: hi}\n",
	})
	want := []string{
		"+a", "+a+x call> b.dig", "+a+x^sub *", "+a+x^sub+z echo> hi *",
		"+a+y <+x loop> 2", "+a+y^sub *",
		"+a+y^sub+loop-0 call> ./b *", "+a+y^sub+loop-0^sub *", "+a+y^sub+loop-0^sub+z echo> hi *",
		"+a+y^sub+loop-1 <+loop-0 call> ./b *", "+a+y^sub+loop-1^sub *", "+a+y^sub+loop-1^sub+z echo> hi *",
	}
	if diff := cmp.Diff(want, plan(workflows["a"])); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"+b", "+b+z echo> hi"}, plan(workflows["b"])); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestPlanOfWorkflowsThatCallEachOtherEnds(t *testing.T) {
	t.Parallel()
	workflows := project(t, map[string]string{
		"a.dig": "+x: {call>: b}\n", "b.dig": "+y: {call>: c}\n", "c.dig": "+z: {call>: a}\n+other: {}\n",
	})
	want := []string{
		"+a", "+a+x call> b", "+a+x^sub *", "+a+x^sub+y call> c *", "+a+x^sub+y^sub *",
		`+a+x^sub+y^sub+z fail> call> of "a" would run it inside itself indefinitely *`, "+a+x^sub+y^sub+other <+z *",
	}
	if diff := cmp.Diff(want, plan(workflows["a"])); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestPlanOfTooManyTasksIsOnlyCounted(t *testing.T) {
	t.Parallel()
	const most = 1<<31 - 1
	tests := []struct {
		name, source string
		count        int
	}{
		{"as many as allowed", tasks(999), 1000},
		{"one more", tasks(1000), 1001},
		{"many", tasks(50_000), 50_001},
		{"a loop", "+l: {loop>: 1000000, _do: {+a: {}}}\n", 2_000_003},
		{"a loop beyond all numbers", "+l: {loop>: 99999999999999, _do: {+a: {}}}\n", most},
		{"loops in loops", strings.Repeat("{loop>: 1000000, _do: ", 20) + "{}" + strings.Repeat("}", 20) + "\n", most},
		{
			"a product", "+f: {for_each>: {a: &l [" + strings.Repeat("1, ", 999) + "1], b: *l, c: *l}, _do: {}}\n",
			1_000_000_003,
		},
		{"a range", "+r: {for_range>: {to: 2000000000, step: 1}, _do: {}}\n", 2_000_000_003},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := read(t, test.source)
			if w.TaskCount != test.count {
				t.Errorf("counted %d tasks, want %d", w.TaskCount, test.count)
			}
			if planned := len(w.Tasks); test.count > dig.MaxTasks && planned > 0 {
				t.Errorf("planned %d tasks", planned)
			}
		})
	}
}

func tasks(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "+t%d: {}\n", i)
	}
	return out.String()
}

func TestPlanOfCallsThatDoubleIsOnlyCounted(t *testing.T) {
	t.Parallel()
	files := map[string]string{"w99.dig": "+end: {}\n"}
	for i := range 99 {
		files[fmt.Sprintf("w%02d.dig", i)] = fmt.Sprintf("+a: {call>: w%02d}\n+b: {call>: w%02d}\n", i+1, i+1)
	}
	workflows := project(t, files)
	if got := workflows["w00"].TaskCount; got != 1<<31-1 {
		t.Errorf("counted %d tasks", got)
	}
	if got := workflows["w97"].TaskCount; got != 1+2*(1+1+2*(1+2)) {
		t.Errorf("counted %d tasks", got)
	}
}

func TestProjectsPlanABoundedNumberOfTasks(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("w%d.dig", i)] = "+l: {loop>: 900, _do: {}}\n"
	}
	archive, err := dig.WriteArchive(files)
	check(t, err)
	_, err = dig.ReadArchive(archive, dig.DefaultLimits())
	refused(t, err, "more than 200000 tasks together")
}
