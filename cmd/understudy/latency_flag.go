package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/source"
)

// latencyLimits is the value of a repeatable flag that limits how long operations take: OPERATION=DURATION.
type latencyLimits struct{ most map[string]time.Duration }

func (l *latencyLimits) String() string { return "" }

func (l *latencyLimits) Type() string { return "OPERATION=DURATION" }

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

// GetSlice lists the names that were given a limit, for valuesOf.
func (l *latencyLimits) GetSlice() []string {
	var names []string
	for name := range l.most {
		names = append(names, name)
	}
	return names
}

// locateErrors adds to the errors of latency limits their place in the configuration.
func (c *configuration) locateErrors(err error) error {
	var problems []*source.Problem
	var others []error
	for _, err := range errorsOf(err) {
		latency, isLatency := errors.AsType[*contract.LatencyError](err)
		if isLatency && c.Latency[latency.Operation] != "" {
			problems = append(problems, c.text.Problem([]any{"latency", latency.Operation}, "%s", latency.Reason))
			continue
		}
		others = append(others, err)
	}
	return errors.Join(append(others, source.Join(problems))...)
}

// errorsOf returns the single errors of a joined one.
func errorsOf(err error) []error {
	joined, isJoined := err.(interface{ Unwrap() []error })
	if !isJoined {
		return []error{err}
	}
	var list []error
	for _, err := range joined.Unwrap() {
		list = append(list, errorsOf(err)...)
	}
	return list
}
