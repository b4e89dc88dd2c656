package rows_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/mockserver/internal/rows"
)

// packed is some bytes in gzip.
func packed(tb testing.TB, plain []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(plain); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// stream is one msgpack value after the other.
func stream(tb testing.TB, values ...any) []byte {
	tb.Helper()
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.SetSortMapKeys(true)
	for _, value := range values {
		if err := e.Encode(value); err != nil {
			tb.Fatal(err)
		}
	}
	return b.Bytes()
}

// read lists the rows of an upload, and what is wrong with others.
func read(format string, upload []byte) (list []rows.Row, wrong []string, err error) {
	err = rows.Read(format, upload, false, func(r rows.Row, err error) error {
		if err != nil {
			wrong = append(wrong, err.Error())
			return nil
		}
		list = append(list, r)
		return nil
	})
	return list, wrong, err
}

type object = map[string]any

func TestRead(t *testing.T) {
	t.Parallel()
	at := int64(1768469400)
	for name, test := range map[string]struct {
		format string
		plain  []byte
		want   []rows.Row
	}{
		"a msgpack map is a row, its time apart": {
			"msgpack.gz", stream(t, object{"time": at, "n": 1, "price": 2.5, "name": "tea", "none": nil, "ok": true}),
			[]rows.Row{{1, at, true, []rows.Value{
				{"n", "1", "long"}, {"name", "tea", "string"}, {"ok", "true", "string"}, {"price", "2.5", "double"},
			}}},
		},
		"numbers keep what they are": {
			"msgpack.gz", stream(t, object{
				"a": uint64(math.MaxUint64), "b": int64(math.MinInt64), "c": float32(0.1), "d": 3.0, "e": math.Inf(1),
			}),
			[]rows.Row{{1, 0, false, []rows.Value{
				{"a", "18446744073709551615", "long"},
				{"b", "-9223372036854775808", "long"},
				{"c", "0.1", "double"},
				{"d", "3.0", "double"},
				{"e", "+Inf", "string"},
			}}},
		},
		"lists and maps become their JSON": {
			"msgpack.gz", stream(t, object{"a": []any{1, "x\"", nil, object{"k": []any{}}}}),
			[]rows.Row{{1, 0, false, []rows.Value{{"a", `[1,"x\"",null,{"k":[]}]`, "string"}}}},
		},
		"bytes are a text if they can be, as older clients send it": {
			"msgpack.gz", stream(t, object{"a": []byte("tea"), "b": []byte{0xff, 0}}),
			[]rows.Row{{1, 0, false, []rows.Value{{"a", "tea", "string"}, {"b", "/wA=", "string"}}}},
		},
		"a time may have a fraction, be a text, or be one of msgpack's own": {
			"msgpack.gz",
			stream(t, object{"time": 1.9}, object{"time": "7"}, object{"time": time.Unix(9, 5)}, object{"time": "noon"}),
			[]rows.Row{{1, 1, true, nil}, {2, 7, true, nil}, {3, 9, true, nil}, {4, 0, false, nil}},
		},
		"of columns with one name the last counts": {
			"msgpack.gz", []byte{0x82, 0xa1, 'a', 1, 0xa1, 'a', 2}, []rows.Row{{1, 0, false, []rows.Value{{"a", "2", "long"}}}},
		},
		"JSON lines": {
			"json.gz", []byte(`{"time":7,"a":"x","b":1.50,"c":null}` + "\n" + `{"a":[1, 2],"b":{"k" : 1}}`),
			[]rows.Row{
				{1, 7, true, []rows.Value{{"a", "x", "string"}, {"b", "1.50", "double"}}},
				{2, 0, false, []rows.Value{{"a", "[1,2]", "string"}, {"b", `{"k":1}`, "string"}}},
			},
		},
		"a JSON array": {
			"json.gz", []byte(` [{"a":1}, {"a":2}]`),
			[]rows.Row{{1, 0, false, []rows.Value{{"a", "1", "long"}}}, {2, 0, false, []rows.Value{{"a", "2", "long"}}}},
		},
		"nothing in it":      {"msgpack.gz", nil, nil},
		"no lines":           {"json.gz", nil, nil},
		"an array of none":   {"json.gz", []byte("[]"), nil},
		"a row of no values": {"msgpack.gz", stream(t, object{}), []rows.Row{{Number: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, wrong, err := read(test.format, packed(t, test.plain))
			if err != nil || wrong != nil {
				t.Fatal(err, wrong)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("rows (-want +got)\n%s", diff)
			}
		})
	}
}

func TestWrongRows(t *testing.T) {
	t.Parallel()
	columns := object{}
	for i := range rows.MaxColumns + 1 {
		columns[fmt.Sprint("c", i)] = i
	}
	for name, test := range map[string]struct {
		format string
		plain  []byte
		want   string
	}{
		"a list":                 {"msgpack.gz", stream(t, []any{1}), "row 1: want a map, not a list"},
		"a number":               {"msgpack.gz", stream(t, 5), "row 1: want a map, not an integer"},
		"a name that is no text": {"msgpack.gz", []byte{0x81, 1, 1}, "row 1: a column's name is an integer"},
		"a long name": {
			"msgpack.gz", stream(t, object{strings.Repeat("a", 256): 1}),
			"row 1: a column's name has 256 bytes",
		},
		"too many columns": {"msgpack.gz", stream(t, columns), "row 1: has 1001 columns, want 1000 at most"},
		"milliseconds": {
			"msgpack.gz", stream(t, object{"time": 1768469400000}),
			"row 1: the time 1768469400000 is out of range",
		},
		"a time without a measure": {"json.gz", []byte(`{"time":1e300}`), "row 1: the time 1e300 is out of range"},
		"a JSON text":              {"json.gz", []byte(`"a"`), "row 1: want an object, not a string"},
	} {
		t.Run(name+" is a wrong row, and the next one is read", func(t *testing.T) {
			t.Parallel()
			after := stream(t, object{"a": 1})
			if test.format == "json.gz" {
				after = []byte(`{"a":1}`)
			}
			got, wrong, err := read(test.format, packed(t, slices.Concat(test.plain, after)))
			if err != nil {
				t.Fatal(err)
			}
			if len(wrong) != 1 || !strings.Contains(wrong[0], test.want) {
				t.Errorf("wrong is %q, want %q", wrong, test.want)
			}
			if diff := cmp.Diff([]rows.Row{{2, 0, false, []rows.Value{{"a", "1", "long"}}}}, got); diff != "" {
				t.Errorf("the other row (-want +got)\n%s", diff)
			}
		})
	}
}

func TestBrokenUploads(t *testing.T) {
	t.Parallel()
	good := stream(t, object{"a": 1})
	list := func(n int) []byte { return append([]byte{0x81, 0xa1, 'a'}, bytes.Repeat([]byte{0x91}, n)...) }
	for name, test := range map[string]struct {
		format string
		upload []byte
		want   string
	}{
		"another format":       {"csv.gz", packed(t, good), "want one of msgpack.gz, json.gz"},
		"not valid gzip":       {"msgpack.gz", good, "not valid gzip"},
		"an empty body":        {"msgpack.gz", nil, "not valid gzip"},
		"half a gzip":          {"msgpack.gz", packed(t, bytes.Repeat(good, 1000))[:30], "row"},
		"a gzip with a tail":   {"msgpack.gz", append(packed(t, good), "this is no gzip"...), "row 2: "},
		"half a row":           {"msgpack.gz", packed(t, append(good, 0x82, 0xa1)), "row 2: the body ends within the row"},
		"a byte of no meaning": {"msgpack.gz", packed(t, append(good, 0xc1)), "row 2: not valid msgpack"},
		"another extension": {
			"msgpack.gz", packed(t, []byte{0x81, 0xa1, 'a', 0xd4, 5, 0}),
			"row 1: unknown extension type 5",
		},
		"a length of billions": {"msgpack.gz", packed(t, []byte{0xdf, 0xff, 0xff, 0xff, 0xff}), "row 1: the body ends"},
		"a text of billions": {
			"msgpack.gz", packed(t, []byte{0x81, 0xdb, 0xff, 0xff, 0xff, 0xff, 'a'}),
			"row 1: the body ends",
		},
		"lists without end": {"msgpack.gz", packed(t, list(1_000_000)), "row 1: is nested deeper than 100 levels"},
		"maps as names": {
			"msgpack.gz", packed(t, bytes.Repeat([]byte{0xdf, 0xff, 0xff, 0xff, 0xff}, 1_000)),
			"row 1: has a map with a list or a map as a key",
		},
		"values without end": {
			"msgpack.gz", packed(t, slices.Concat([]byte{0xdd, 0, 2, 0, 0}, make([]byte, 200_000))),
			"row 1: has more than 100000 values",
		},
		"a text too long": {
			"msgpack.gz", packed(t, stream(t, object{"a": strings.Repeat("x", 9<<20)})),
			"row 1: has more than 8388608 bytes",
		},
		"a bomb": {
			"msgpack.gz",
			packed(t, bytes.Repeat(stream(t, object{"a": strings.Repeat("x", 1<<20)}), 128)),
			"more than 134217728 bytes when decompressed",
		},
		"a bomb of rows":       {"msgpack.gz", packed(t, bytes.Repeat([]byte{0x80}, 1_000_001)), "more than 1000000 rows"},
		"half JSON":            {"json.gz", packed(t, []byte(`{"a":1}{"a":`)), "row 2: the body ends"},
		"no JSON":              {"json.gz", packed(t, []byte(`{"a":1} tea`)), "row 2: not valid JSON"},
		"an array without end": {"json.gz", packed(t, []byte(`[{"a":1},`)), "row 2: the body ends"},
		"more than an array":   {"json.gz", packed(t, []byte(`[{"a":1}] {}`)), "unexpected data after the array"},
		"JSON lists too deep": {
			"json.gz", packed(t, []byte(`{"a":`+strings.Repeat("[", 101)+strings.Repeat("]", 101)+"}")),
			"row 1: is nested deeper than 100 levels",
		},
		"JSON deeper than deep": {"json.gz", packed(t, []byte(strings.Repeat("[", 1_000_000))), "row 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(test.format, test.upload)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
	t.Run("an error of the taker ends the reading", func(t *testing.T) {
		t.Parallel()
		enough := errors.New("enough")
		calls := 0
		err := rows.Read("msgpack.gz", packed(t, slices.Concat(good, good)), false,
			func(rows.Row, error) error { calls++; return enough })
		if !errors.Is(err, enough) || calls != 1 {
			t.Errorf("error %v after %d calls", err, calls)
		}
	})
	t.Run("what the server has unpacked needs no gzip", func(t *testing.T) {
		t.Parallel()
		calls := 0
		err := rows.Read("msgpack.gz", good, true, func(rows.Row, error) error { calls++; return nil })
		if err != nil || calls != 1 {
			t.Errorf("error %v after %d calls", err, calls)
		}
	})
}

func TestJSON(t *testing.T) {
	t.Parallel()
	row := rows.Row{Values: []rows.Value{{Name: "a", Text: "x\"\x00"}, {Name: "b\xff", Text: "\xff"}}}
	if got, want := row.JSON(), "{\"a\":\"x\\\"\\u0000\",\"b\uFFFD\":\"\uFFFD\"}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A data frame's index is a column without a name, which is dropped; the row stays.
func TestColumnsWithoutANameAreDropped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format string
		plain  []byte
	}{
		"JSON":                     {"json.gz", []byte(`{"":0,"a":1}`)},
		"MessagePack":              {"msgpack.gz", stream(t, object{"": 0, "a": 1})},
		"an old text":              {"msgpack.gz", []byte{0x82, 0xc4, 0, 0, 0xa1, 'a', 1}},
		"null in place of a name":  {"msgpack.gz", []byte{0x82, 0xc0, 0, 0xa1, 'a', 1}},
		"a list in such a column":  {"json.gz", []byte(`{"":[1],"a":1}`)},
		"two columns without name": {"json.gz", []byte(`{"":0,"a":1,"":2}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := rows.Read(test.format, packed(t, test.plain), false, func(row rows.Row, err error) error {
				if got := row.JSON(); err != nil || got != `{"a":"1"}` {
					t.Errorf("the row is %s, error %v", got, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
