package facts

import (
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

// A fault of the mock hides from its client what the platform made of a request. Where the request took effect and its
// answer was injected, this is the same as an answer that was not seen. Where it took effect twice, its own answer says
// only what one of the two did, so that it counts as not seen either.

// hadNoEffect reports whether a fault kept a request from the platform: nothing happened, and nothing is shown. An own
// answer without effect is a refusal, which shows what it says.
func hadNoEffect(item *record.Item) bool {
	f, ok := item.InjectedFault()
	return ok && f.Effect == recording.EffectNone
}

// isTwice reports whether a fault made a request take effect twice.
func isTwice(item *record.Item) bool {
	f, ok := recording.ParseFault(item.Fault)
	return ok && f.Effect == recording.EffectTwice
}
