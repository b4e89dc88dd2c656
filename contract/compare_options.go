package contract

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Rules of differences.
const (
	DifferentStatus    = "different-status"
	DifferentShape     = "different-shape"
	DifferentValue     = "different-value"
	DifferentBehaviour = "different-behaviour"
)

// DifferenceDocs describes the kinds of differences that Compare finds, in the form of rules.
func DifferenceDocs() []report.RuleDoc {
	const same = "ids and tokens that the server chose, times that differ by no more than the tolerance, and what a " +
		"mask leaves out"
	return []report.RuleDoc{
		{
			ID: DifferentStatus, Title: "an answer has the recorded status", Watches: "every exchange that is replayed",
			Evidence: "the answer has another status; its headers and its body are then not compared",
		},
		{
			ID: DifferentShape, Title: "an answer has the recorded members and types",
			Watches: "every answer of the recorded status",
			Evidence: "a member or a documented header is missing or extra, a value has another type, or the body is of " +
				"another media type",
		},
		{
			ID: DifferentValue, Title: "an answer has the recorded values", Watches: "every answer of the recorded status",
			Evidence: "a value differs, a list has other items, or it has them in another order", Passes: same,
		},
		{
			ID: DifferentBehaviour, Title: "a later answer shows the same effect of an earlier request",
			Watches:  "every answer that shows what a recorded request made, changed or deleted",
			Evidence: "the value or the status differs, and an earlier request changed what it belongs to", Passes: same,
		},
	}
}

// comparisonConfig says how to compare.
type comparisonConfig struct {
	masks     []compare.Mask
	tolerance time.Duration
	timeout   time.Duration
}

// DefaultTolerance is the default of WithTolerance: answers mostly show whole seconds.
const DefaultTolerance = 2 * time.Second

// WithMask leaves a place of answers out of Compare: values there may differ, their types may not. The operation is a
// pattern, such as core.* or workflow.getPool; the pointer leads into the body, and * in it stands for any name or
// index, ** for any number of them.
func WithMask(operation, pointer, reason string) Option {
	return func(c *config) error {
		if operation == "" || !strings.HasPrefix(pointer, "/") {
			return fmt.Errorf("mask of %q at %q: want a pattern of operations, such as core.*, and a pointer such as "+
				"/pools/*/name", operation, pointer)
		}
		c.comparison.masks = append(c.comparison.masks, compare.Mask{Operation: operation, Pointer: pointer, Reason: reason})
		return nil
	}
}

// WithTolerance sets by how much times in the answers of Compare may differ, DefaultTolerance if it is not given.
func WithTolerance(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("tolerance %v: want a duration such as 2s, or 0s", d)
		}
		c.comparison.tolerance = d
		return nil
	}
}

// WithAnswerTimeout bounds how long Compare waits for an answer of its subject, a minute if it is not given. A request
// that takes longer counts as not answered, and is a difference.
func WithAnswerTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("answer timeout %v: want a duration above 0, such as 30s", d)
		}
		c.comparison.timeout = d
		return nil
	}
}

// validateMasks returns an error for masks of the user that fit no operation.
func (c *config) validateMasks(documents []*specs.Document) error {
	var errs []error
	for _, m := range c.comparison.masks[len(compare.DefaultMasks()):] {
		fits := func(op *specs.Operation) bool { ok, _ := path.Match(m.Operation, op.Name()); return ok }
		isOne := func(d *specs.Document) bool { return slices.ContainsFunc(d.All(), fits) }
		if m.Operation != "*" && !slices.ContainsFunc(documents, isOne) {
			errs = append(errs, fmt.Errorf("mask of %q at %q: %s", m.Operation, m.Pointer,
				noOperation(m.Operation, operationNames(documents))))
		}
	}
	return errors.Join(errs...)
}
