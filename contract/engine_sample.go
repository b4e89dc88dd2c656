package contract

import "svc.example/understudy/contract/internal/judge"

// Of what the first engine passes, the second one judges a sample: the first exchanges of a recording, and some of
// those that follow. Which ones depends on nothing but their numbers, so that whoever judges a part of a recording
// needs to know nothing of the others.
const (
	sampledWhole = 512 // exchanges at the beginning
	sampledOf    = 256 // one of so many of the others
)

// isSampled reports whether the second engine judges an exchange even if the first one finds no fault in it. The
// numbers are scattered, so that traffic that repeats itself is not seen at one place of its cycle only.
func isSampled(r *judge.Result) bool {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	n := r.Item.Number
	scattered := uint64(n) * golden
	scattered = (scattered ^ scattered>>32) * golden
	return n <= sampledWhole || scattered < 1<<63/(sampledOf/2)
}
