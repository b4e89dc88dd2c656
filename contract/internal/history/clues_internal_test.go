package history

import "testing"

// What an entity is compared with does not grow with the recording.
func TestCluesOfAnEntityAreBounded(t *testing.T) {
	t.Parallel()
	var list []clue
	for n := range int64(1000) {
		list = keepLast(list, &clue{caller: uint64(n % 5), number: n})
	}
	if len(list) != 5 || list[4].number != 999 {
		t.Errorf("of 5 callers: %d clues, the last one %d", len(list), list[len(list)-1].number)
	}
	for n := range uint64(1000) {
		list = keepLast(list, &clue{caller: n})
	}
	if len(list) != maxViewers {
		t.Errorf("of 1,000 callers: %d clues, want %d", len(list), maxViewers)
	}
}
