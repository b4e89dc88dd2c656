package access

import (
	"slices"
	"strconv"

	"svc.example/understudy/mockserver/internal/op"
)

// textIDs returns the ids of a set that a body holds as texts. It refuses a missing set, and an id that does not exist
// (assumed).
func textIDs[R any](field string, set *[]string, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return integerIDs(field, nil, noun, get)
	}
	ids := make([]int64, len(*set))
	for i, text := range *set {
		var err error
		if ids[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, op.Unprocessable(field, "%s %q not found", noun, text)
		}
	}
	return integerIDs(field, &ids, noun, get)
}

// integerIDs returns the ids of a set that a body holds as integers, with the same refusals as textIDs. A repeated id
// counts once.
func integerIDs[R any](field string, set *[]int64, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return nil, op.Unprocessable(field, "is missing: want the whole set, which may be empty")
	}
	var ids []int64
	for _, id := range *set {
		if _, ok := get(id); !ok {
			return nil, op.Unprocessable(field, "%s %d not found", noun, id)
		}
		ids = with(ids, id)
	}
	return ids, nil
}

// with returns a set of ids with one more.
func with(ids []int64, id int64) []int64 {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(slices.Clip(ids), id)
}

// without returns a set of ids without one of them.
func without(ids []int64, id int64) []int64 { return minus(ids, []int64{id}) }

// minus returns a set of ids without those of another.
func minus(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
