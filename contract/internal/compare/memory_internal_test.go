package compare

import "testing"

// What a memory keeps of answers is bounded by its size, as well as by its number. One that is kept may change.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const answers = 500
	big := &compared{list: make([]found, maxRemembered/100/500), taught: newIDs(nil)} // a hundredth, about
	m, empty := NewMemory(answers), &compared{taught: newIDs(nil)}
	for n := range answers {
		m.keep(remembered{answer: digest{byte(n), byte(n >> 8)}}, big)
	}
	if kept := len(m.answers); kept < 90 || kept > 110 {
		t.Errorf("%d answers are kept, want about 100", kept)
	}
	kept, size := len(m.answers), m.size
	m.keep(remembered{answer: digest{255, 255}}, empty)
	m.keep(remembered{}, empty)
	if len(m.answers) != kept || m.size != size || m.answers[remembered{}] != empty {
		t.Errorf("%d answers of %d bytes are kept, want %d of %d, of which the first has changed", len(m.answers), m.size,
			kept, size)
	}
}
