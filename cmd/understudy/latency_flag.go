package main

import (
	"errors"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/source"
)

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
