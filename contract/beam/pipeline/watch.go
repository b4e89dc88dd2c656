package pipeline

import (
	"context"
	"encoding/json"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
)

// watchFn shows the events of each key to the rules between exchanges.
type watchFn struct {
	Options Options

	checker *contract.Checker
	sum     *contract.Part // of the keys of a bundle
}

// Setup makes the checker, once per process.
func (fn *watchFn) Setup() (err error) {
	fn.checker, err = shared(&fn.Options)
	return err
}

// StartBundle forgets what a bundle that failed has left.
func (fn *watchFn) StartBundle(_ context.Context, _ func(*[]byte) bool, _ []byte, _ func([]byte)) {
	fn.sum = nil
}

// ProcessElement watches one key. What it finds waits for the end of the bundle, because keys may be many and small.
func (fn *watchFn) ProcessElement(ctx context.Context, _ string, events, everywhere func(*[]byte) bool, gapsText []byte,
	_ func([]byte),
) error {
	var gaps []report.Gap
	if err := json.Unmarshal(gapsText, &gaps); err != nil {
		return err
	}
	count := int64(0)
	part, err := fn.checker.Watch(ctx, gaps, func(yield func(contract.Event, error) bool) {
		for _, next := range []func(*[]byte) bool{events, everywhere} {
			for text := []byte(nil); next(&text); count++ {
				var e contract.Event
				err := e.UnmarshalBinary(text)
				if !yield(e, err) {
					return
				}
			}
		}
	})
	if err != nil {
		return err
	}
	countWatched(ctx, part, count)
	if fn.sum == nil {
		fn.sum = fn.checker.Part(0)
	}
	fn.sum.Merge(part)
	return nil
}

// FinishBundle emits what was found in the keys of a bundle.
func (fn *watchFn) FinishBundle(_ context.Context, _ func(*[]byte) bool, _ []byte, emit func([]byte)) error {
	if fn.sum == nil {
		return nil
	}
	text, err := fn.sum.MarshalBinary()
	emit(text)
	return err
}
