package facts_test

import (
	"bytes"
	stdcmp "cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/facts"
)

// filler gives values to members, so that a member that is not coded makes a difference.
type filler struct {
	chance *rand.Rand
	isFull bool // every member has a value, and every list an element
	most   int  // elements of a list
	n      int64
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Struct:
		f.fillStruct(v)
	case reflect.Slice:
		n := f.upTo(f.most)
		if n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		inner := filler{f.chance, f.isFull, 2, f.n}
		for i := range n {
			inner.fill(v.Index(i))
		}
		f.n = inner.n
	case reflect.Pointer:
		if f.upTo(1) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.String:
		v.SetString([]string{"", fmt.Sprint(f.n), "\x00\xff", fmt.Sprintf("%0100d", f.n)}[f.upTo(3)])
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, f.n, -f.n, 1<<63 - 1, -1 << 63}[f.upTo(4)])
	case reflect.Uint64:
		v.SetUint([]uint64{0, uint64(f.n), 1<<64 - 1}[f.upTo(2)])
	case reflect.Bool:
		v.SetBool(f.upTo(1) == 1)
	default:
		panic("no value for " + v.Type().String())
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	if t, isTime := reflect.TypeAssert[*time.Time](v.Addr()); isTime {
		*t = []time.Time{{}, time.Unix(f.n, f.n).UTC(), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}[f.upTo(2)]
		return
	}
	for _, member := range v.Fields() {
		f.fill(member)
	}
}

// upTo returns a number from 0 to n, or 1 if each member has a value.
func (f *filler) upTo(n int) int {
	if f.isFull {
		return 1
	}
	return f.chance.IntN(n+1) * f.chance.IntN(2)
}

// filled returns an exchange that depends on a seed, whose lists have so many elements at most. That of seed 0 has a
// value of each member.
func filled(seed uint64, most int) *facts.Exchange {
	e := &facts.Exchange{}
	f := filler{chance: rand.New(rand.NewPCG(seed, 0)), isFull: seed == 0, most: most}
	f.fill(reflect.ValueOf(e).Elem())
	e.At, e.Doubt = 0, 0 // which are not coded
	e.WorkflowContent = stdcmp.Or(e.WorkflowContent, &facts.WorkflowContent{})
	e.CoreContent = stdcmp.Or(e.CoreContent, &facts.CoreContent{})
	return e
}

func TestAnExchangeIsDecodedAsItWasEncoded(t *testing.T) {
	t.Parallel()
	const many = 70 // more than room is made for at once
	d := facts.NewDecoder()
	for seed := range uint64(100) {
		want := filled(seed, many)
		code := facts.Append([]byte("before"), want)[len("before"):]
		got, err := d.Decode(code)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		clear(code)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: decoded otherwise than it was encoded (-want +got):\n%s", seed, diff)
		}
	}
}

func TestAnExchangeThatIsCutOrContinuedIsNotDecoded(t *testing.T) {
	t.Parallel()
	code := facts.Append(nil, filled(0, 1))
	for n := range code {
		if e, err := facts.Decode(code[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are decoded, as %+v", n, len(code), e)
		}
	}
	if _, err := facts.Decode(append(code, 0)); err == nil {
		t.Error("bytes behind an exchange are ignored")
	}
}

// A list is as long as its bytes at most, so that a few bytes that claim to be a long one take no memory.
func TestALengthBeyondTheBytesIsRefused(t *testing.T) {
	t.Parallel()
	code := facts.Append(nil, filled(0, 1))
	for i := range code {
		claim := slices.Concat(code[:i], binary.AppendUvarint(nil, 1<<62), code[i:])
		if e, err := facts.Decode(claim); err == nil && !bytes.Equal(facts.Append(nil, e), claim) {
			t.Fatalf("a length of 1<<62 at byte %d is decoded, as %+v", i, e)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(facts.Append(nil, filled(seed, 2)))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, code []byte) {
		e, err := facts.Decode(code)
		if err != nil {
			return
		}
		again, err := facts.Decode(facts.Append(nil, e))
		if err != nil || !reflect.DeepEqual(e, again) {
			t.Errorf("decoded again otherwise (-first +again), error %v:\n%s", err, cmp.Diff(e, again))
		}
	})
}
