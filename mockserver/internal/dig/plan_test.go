package dig_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/dig"
)

// plan writes a task a line: its name, in brackets the names it waits for, operator and command.
func plan(w dig.Workflow) []string {
	lines := []string{}
	for _, task := range w.Tasks {
		line := task.Name
		for _, up := range task.Upstreams {
			line += " <" + strings.TrimPrefix(w.Tasks[up].Name, w.Tasks[task.Parent].Name)
		}
		if !task.Group {
			line += " " + task.Operator + "> " + task.Command
		}
		if task.Generated {
			line += " *"
		}
		lines = append(lines, line)
	}
	return lines
}

func project(tb testing.TB, files map[string]string) map[string]dig.Workflow {
	tb.Helper()
	archive, err := dig.WriteArchive(files)
	check(tb, err)
	p, err := dig.ReadArchive(archive, dig.DefaultLimits())
	check(tb, err)
	workflows := map[string]dig.Workflow{}
	for _, w := range p.Workflows {
		workflows[w.Name] = w
	}
	return workflows
}

func TestPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		want         []string
	}{
		{
			"tasks run one after the other, parents stand before children",
			"+a:\n  +b: {echo>: x}\n  +c: {sh>: y}\n+d: {fail>: no luck}\n",
			[]string{"+w", "+w+a", "+w+a+b echo> x", "+w+a+c <+b sh> y", "+w+d <+a fail> no luck"},
		},
		{"an empty definition is a root", "timezone: UTC\n", []string{"+w"}},
		{"the root can run an operator", "echo>: hi\n", []string{"+w echo> hi"}},
		{"the long form of an operator", "+a: {_type: echo, _command: hi}\n", []string{"+w", "+w+a echo> hi"}},
		{
			"a command that is a mapping is JSON", "+a: {http>: {b: 1, a: 2}}\n",
			[]string{"+w", `+w+a http> {"b":1,"a":2}`},
		},
		{"a key that is only > is no operator", "+a: {'>': x}\n", []string{"+w", "+w+a"}},
		{
			"in parallel nothing waits",
			"_parallel: true\n+a: {}\n+b: {}\n+c: {}\n",
			[]string{"+w", "+w+a", "+w+b", "+w+c"},
		},
		{
			"in parallel with a limit each waits for the one that many above",
			"_parallel: {limit: 2}\n+a: {}\n+b: {}\n+c: {}\n+d: {}\n",
			[]string{"+w", "+w+a", "+w+b", "+w+c <+a", "+w+d <+b"},
		},
		{
			"_after in parallel waits for what it names",
			"_parallel: true\n+a: {}\n+b: {}\n+c: {_after: [+b, +a]}\n+d: {_after: +a}\n",
			[]string{"+w", "+w+a", "+w+b", "+w+c <+a <+b", "+w+d <+a"},
		},
		{
			"a task in the background starts with the one above, and the next waits for both",
			"+a: {}\n+b: {}\n+c: {_background: true}\n+d: {_background: true}\n+e: {}\n",
			[]string{"+w", "+w+a", "+w+b <+a", "+w+c <+a", "+w+d <+a", "+w+e <+b <+c <+d"},
		},
		{
			"in parallel without a limit in its mapping", "_parallel: {}\n+a: {}\n+b: {}\n",
			[]string{"+w", "+w+a", "+w+b"},
		},
		{
			"expressions for flags count as false",
			"_parallel: ${p}\n+a: {}\n+b: {_background: '${b}'}\n",
			[]string{"+w", "+w+a", "+w+b <+a"},
		},
		{
			"an expression for the limit counts as none",
			"_parallel: {limit: '${n}'}\n+a: {}\n+b: {}\n",
			[]string{"+w", "+w+a", "+w+b"},
		},
		{"a first task in the background", "+a: {_background: true}\n+b: {}\n", []string{"+w", "+w+a", "+w+b <+a"}},
		{
			"_parallel is not inherited",
			"_parallel: true\n+a:\n  +b: {}\n  +c: {}\n",
			[]string{"+w", "+w+a", "+w+a+b", "+w+a+c <+b"},
		},
		{
			"a loop runs its body so many times",
			"+l:\n  loop>: 2\n  _do:\n    +a: {echo>: x}\n    +b: {}\n",
			[]string{
				"+w", "+w+l loop> 2", "+w+l^sub *",
				"+w+l^sub+loop-0 *", "+w+l^sub+loop-0+a echo> x *", "+w+l^sub+loop-0+b <+a *",
				"+w+l^sub+loop-1 <+loop-0 *", "+w+l^sub+loop-1+a echo> x *", "+w+l^sub+loop-1+b <+a *",
			},
		},
		{
			"a parallel loop of one operator",
			"+l: {loop>: 2, _parallel: true, _do: {echo>: x}}\n",
			[]string{"+w", "+w+l loop> 2", "+w+l^sub *", "+w+l^sub+loop-0 echo> x *", "+w+l^sub+loop-1 echo> x *"},
		},
		{
			"a parallel loop with a limit",
			"+l: {loop>: 3, _parallel: {limit: 2}, _do: {}}\n",
			[]string{"+w", "+w+l loop> 3", "+w+l^sub *", "+w+l^sub+loop-0 *", "+w+l^sub+loop-1 *", "+w+l^sub+loop-2 <+loop-0 *"},
		},
		{"a loop of no rounds", "+l: {loop>: 0, _do: {echo>: x}}\n", []string{"+w", "+w+l loop> 0", "+w+l^sub *"}},
		{
			"a negative loop is one of no rounds", "+l: {loop>: -2, _do: {}}\n",
			[]string{"+w", "+w+l loop> -2", "+w+l^sub *"},
		},
		{
			"a loop over an expression counts as one round",
			"+l: {loop>: '${n}', _do: {echo>: x}}\n",
			[]string{"+w", "+w+l loop> ${n}", "+w+l^sub *", "+w+l^sub+loop-0 echo> x *"},
		},
		{
			"a loop over anything else fails",
			"+l: {loop>: often, _do: {echo>: x}}\n",
			[]string{"+w", `+w+l fail> loop> needs a number of rounds, not "often"`},
		},
		{
			"for_each runs the product, the last variable fastest",
			"+f: {for_each>: {a: [x, y], b: {p: 1, 'q+r': 2}}, _do: {echo>: z}}\n",
			[]string{
				"+w", `+w+f for_each> {"a":["x","y"],"b":{"p":1,"q+r":2}}`, "+w+f^sub *",
				"+w+f^sub+for-0=a=0=x&1=b=0=p echo> z *",
				"+w+f^sub+for-0=a=0=x&1=b=1=q%2Br <+for-0=a=0=x&1=b=0=p echo> z *",
				"+w+f^sub+for-0=a=1=y&1=b=0=p <+for-0=a=0=x&1=b=1=q%2Br echo> z *",
				"+w+f^sub+for-0=a=1=y&1=b=1=q%2Br <+for-0=a=1=y&1=b=0=p echo> z *",
			},
		},
		{
			"for_each over expressions counts as one round",
			"+f: {for_each>: {a: '${list}'}, _do: {}}\n+g: {for_each>: '${map}', _do: {}}\n",
			[]string{
				"+w", `+w+f for_each> {"a":"${list}"}`, "+w+f^sub *", "+w+f^sub+for-0=a=0=%24%7Blist%7D *",
				"+w+g <+f for_each> ${map}", "+w+g^sub *", "+w+g^sub+for- *",
			},
		},
		{
			"for_each over an empty list", "+f: {for_each>: {a: []}, _do: {}}\n",
			[]string{"+w", `+w+f for_each> {"a":[]}`, "+w+f^sub *"},
		},
		{
			"for_each over a list fails",
			"+f: {for_each>: [a], _do: {}}\n",
			[]string{"+w", "+w+f fail> for_each> needs a mapping of names to lists, not a list"},
		},
		{
			"for_range runs a round a step",
			"+r: {for_range>: {from: 10, to: 25, step: 10}, _do: {}}\n",
			[]string{
				"+w", `+w+r for_range> {"from":10,"to":25,"step":10}`, "+w+r^sub *",
				"+w+r^sub+range-from=10&to=20 *", "+w+r^sub+range-from=20&to=25 <+range-from=10&to=20 *",
			},
		},
		{
			"for_range runs a round a slice",
			"+r: {for_range>: {to: 10, slices: 2}, _do: {}}\n",
			[]string{
				"+w", `+w+r for_range> {"to":10,"slices":2}`, "+w+r^sub *",
				"+w+r^sub+range-from=0&to=5 *", "+w+r^sub+range-from=5&to=10 <+range-from=0&to=5 *",
			},
		},
		{
			"for_range over an expression counts as one round",
			"+r: {for_range>: {to: '${n}', step: 1}, _do: {}}\n",
			[]string{"+w", `+w+r for_range> {"to":"${n}","step":1}`, "+w+r^sub *", "+w+r^sub+range-from=0&to=0 *"},
		},
		{
			"long values are cut in names",
			"+f: {for_each>: {a: [日本語日本語日本語]}, _do: {}}\n",
			[]string{
				"+w", `+w+f for_each> {"a":["日本語日本語日本語"]}`, "+w+f^sub *",
				"+w+f^sub+for-0=a=0=" + strings.Repeat("%E6%97%A5%E6%9C%AC%E8%AA%9E", 2) + "%E6%97%A5%E6%9C%AC *",
			},
		},
		{"the long form without a command", "+l: {_type: loop, _do: {}}\n", []string{"+w", "+w+l loop> "}},
		{"for_range without an end fails", "+r: {for_range>: {from: 1}, _do: {}}\n", []string{
			"+w", "+w+r fail> for_range> needs integers for `from` and `to`, and one of at least 1 for `step` or `slices`",
		}},
		{
			"a true condition runs _do",
			"+i: {if>: true, _do: {+a: {}}, _else_do: {+b: {}}}\n",
			[]string{"+w", "+w+i if> true", "+w+i^sub *", "+w+i^sub+a *"},
		},
		{
			"a false condition runs _else_do",
			"+i: {if>: false, _do: {+a: {}}, _else_do: {echo>: no}}\n",
			[]string{"+w", "+w+i if> false", "+w+i^sub echo> no *"},
		},
		{
			"a false condition without _else_do runs nothing", "+i: {if>: false, _do: {+a: {}}}\n",
			[]string{"+w", "+w+i if> false"},
		},
		{
			"a condition that is an expression counts as true",
			"+i: {if>: '${x > 1}', _do: {+a: {}}}\n",
			[]string{"+w", "+w+i if> ${x > 1}", "+w+i^sub *", "+w+i^sub+a *"},
		},
		{"a loop without a body", "+l: {loop>: 3}\n", []string{"+w", "+w+l loop> 3"}},
		{
			"an alias is a task of its own wherever it stands",
			"_x: &x {echo>: hi}\n+a: *x\n+b: *x\n",
			[]string{"+w", "+w+a echo> hi", "+w+b <+a echo> hi"},
		},
		{"a call of a path or an expression runs nothing further", "+a: {call>: sub/x}\n+b: {call>: '${x}'}\n", []string{
			"+w", "+w+a call> sub/x", "+w+b <+a call> ${x}",
		}},
		{"a call of a workflow that is missing fails", "+a: {call>: x.dig}\n", []string{
			"+w", `+w+a fail> the workflow "x" of call> is not in the project`,
		}},
		{"a call of itself fails", "+a: {call>: w}\n", []string{
			"+w", `+w+a fail> call> of "w" would run it inside itself indefinitely`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := read(t, test.source)
			if diff := cmp.Diff(test.want, plan(w)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if w.TaskCount != len(w.Tasks) {
				t.Errorf("counted %d tasks, planned %d", w.TaskCount, len(w.Tasks))
			}
		})
	}
}

func TestTaskKeys(t *testing.T) {
	t.Parallel()
	w := read(t, `
_export: {region: eu}
+a:
  _export: {b: 1, a: 2}
  _retry: {limit: 3, interval: 10, interval_type: exponential}
  z: 1
  +b: {echo>: x, _retry: 2}
  y: 2
+c:
  _retry: ${n}
  _export: ${e}
  echo>: x
`)
	got := w.Tasks
	want := []dig.Task{
		{Name: "+w", Parent: -1, Group: true, Config: []byte(`{}`), Export: []byte(`{"region":"eu"}`)},
		{
			Name: "+w+a", Group: true, Export: []byte(`{"b":1,"a":2}`),
			Config:  []byte(`{"_retry":{"limit":3,"interval":10,"interval_type":"exponential"},"z":1,"y":2}`),
			Retries: 3, RetryInterval: 10 * time.Second, RetryExponential: true,
		},
		{
			Name: "+w+a+b", Parent: 1, Config: []byte(`{"echo>":"x","_retry":2}`), Export: []byte(`{}`),
			Operator: "echo", Command: "x", Retries: 2,
		},
		{
			Name: "+w+c", Upstreams: []int{1}, Export: []byte(`{}`), Operator: "echo", Command: "x",
			Config: []byte(`{"_retry":"${n}","_export":"${e}","echo>":"x"}`),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}
