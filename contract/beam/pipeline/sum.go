package pipeline

import (
	"context"
	"encoding/json"

	"svc.example/understudy/contract"
)

// sumFn adds parts up.
type sumFn struct {
	Options Options

	checker *contract.Checker
}

// accumulator is a sum under way. It is decoded when something is added to it, by a process that has the checker.
type accumulator struct {
	part *contract.Part
	text []byte // encoded, if part is nil; empty for a part that knows nothing
}

func encodeAccumulator(a accumulator) ([]byte, error) {
	if a.part == nil {
		return a.text, nil
	}
	return a.part.MarshalBinary()
}

func decodeAccumulator(text []byte) (accumulator, error) { return accumulator{text: text}, nil }

// Setup makes the checker, once per process.
func (fn *sumFn) Setup() (err error) {
	fn.checker, err = shared(&fn.Options)
	return err
}

// CreateAccumulator returns the sum of nothing.
func (fn *sumFn) CreateAccumulator() accumulator { return accumulator{} }

// AddInput adds an encoded part.
func (fn *sumFn) AddInput(a accumulator, text []byte) (accumulator, error) {
	return fn.MergeAccumulators(a, accumulator{text: text})
}

// MergeAccumulators adds two sums up.
func (fn *sumFn) MergeAccumulators(a, b accumulator) (accumulator, error) {
	if a.part == nil && len(a.text) == 0 {
		a, b = b, a
	}
	first, err := fn.decode(a)
	if err != nil || b.part == nil && len(b.text) == 0 {
		return accumulator{part: first}, err
	}
	second, err := fn.decode(b)
	if err == nil {
		first.Merge(second)
	}
	return accumulator{part: first}, err
}

// ExtractOutput returns the sum, encoded.
func (fn *sumFn) ExtractOutput(a accumulator) ([]byte, error) {
	part, err := fn.decode(a)
	if err != nil {
		return nil, err
	}
	return part.MarshalBinary()
}

func (fn *sumFn) decode(a accumulator) (*contract.Part, error) {
	if a.part != nil {
		return a.part, nil
	}
	return decodePart(fn.checker, a.text)
}

// decodePart decodes a part. Nothing is one that knows nothing.
func decodePart(c *contract.Checker, text []byte) (*contract.Part, error) {
	part := c.Part(0)
	if len(text) == 0 {
		return part, nil
	}
	return part, part.UnmarshalBinary(text)
}

// gapsFn returns the gaps of the recording.
type gapsFn struct {
	Options Options

	checker *contract.Checker
}

// Setup makes the checker, once per process.
func (fn *gapsFn) Setup() (err error) {
	fn.checker, err = shared(&fn.Options)
	return err
}

// ProcessElement returns the gaps that a sum knows of, as JSON.
func (fn *gapsFn) ProcessElement(_ context.Context, sum []byte) ([]byte, error) {
	part, err := decodePart(fn.checker, sum)
	if err != nil {
		return nil, err
	}
	return json.Marshal(part.Gaps())
}
