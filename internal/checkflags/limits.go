package checkflags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/source"
)

// latencyLimits is the value of a repeatable flag that limits how long operations take: OPERATION=DURATION.
type latencyLimits struct{ most map[string]time.Duration }

func (l *latencyLimits) String() string { return "" }

// Type implements pflag.Value.
func (l *latencyLimits) Type() string { return "OPERATION=DURATION" }

// Set implements pflag.Value.
func (l *latencyLimits) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("want %s, as in workflow.listPools=300ms", l.Type())
	}
	most, err := time.ParseDuration(value)
	if err != nil || most <= 0 {
		return fmt.Errorf("want a time above 0 with its unit, as in 300ms, 1.5s or 2m, not %q", value)
	}
	if l.most == nil {
		l.most = map[string]time.Duration{}
	}
	l.most[name] = most
	return nil
}

// GetSlice lists the names that were given a limit.
func (l *latencyLimits) GetSlice() []string {
	var names []string
	for name := range l.most {
		names = append(names, name)
	}
	return names
}

// Minimums is the value of a repeatable flag: AXIS=PERCENT.
type Minimums []report.Threshold

// Add adds the flag to those of a command.
func (m *Minimums) Add(flags *pflag.FlagSet) {
	flags.Var(m, "min",
		"fail when coverage of an axis is below a percentage; the axes are operations, requests, responses,\n"+
			"parameters, enums, properties and rules (repeatable)")
}

// GetSlice lists the values as they are given.
func (m *Minimums) GetSlice() []string {
	var list []string
	for _, t := range *m {
		list = append(list, fmt.Sprintf("%s=%v", t.Axis, t.Want))
	}
	return list
}

func (m *Minimums) String() string { return "" }

// Type implements pflag.Value.
func (m *Minimums) Type() string { return "AXIS=PERCENT" }

// Set implements pflag.Value.
func (m *Minimums) Set(text string) error {
	axis, number, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("want %s, as in %s=80", m.Type(), report.Operations)
	}
	if !slices.Contains(report.Axes(), axis) {
		return fmt.Errorf("unknown axis of coverage %q; want %s", axis, source.OneOf(axis, report.Axes()))
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return fmt.Errorf("want a percentage between 0 and 100, not %q", number)
	}
	*m = append(*m, report.Threshold{Axis: axis, Want: percent})
	return nil
}
