package rows_test

import (
	"encoding/json"
	"testing"

	"svc.example/understudy/mockserver/internal/rows"
)

// FuzzRead reads anything: rows are numbered without a gap, and each is an object of texts whose names are there once.
func FuzzRead(f *testing.F) {
	for _, plain := range [][]byte{
		nil, stream(f, object{"time": 1, "a": []any{1.5, nil, object{"b": true}}}),
		{0xdf, 0xff, 0xff, 0xff, 0xff},
		{0x91, 0x91, 0x91},
		{0x81, 0xa1, 'a', 0xd7, 0xff, 0, 0, 0, 0, 0, 0, 0, 1},
		{0xc1},
		[]byte(`{"a":1}` + "\n" + `[1]`),
		[]byte(`[{"time":"1","a":{"b":[]}}]`), []byte(`{"a":1e999,"a":"\ud800"}`),
	} {
		f.Add(plain, true)
		f.Add(plain, false)
	}
	f.Fuzz(func(t *testing.T, plain []byte, asJSON bool) {
		format := "msgpack.gz"
		if asJSON {
			format = "json.gz"
		}
		last := 0
		err := rows.Read(format, plain, true, func(r rows.Row, _ error) error {
			if last++; r.Number != last {
				t.Errorf("row %d comes behind row %d", r.Number, last-1)
			}
			var values map[string]string
			if err := json.Unmarshal([]byte(r.JSON()), &values); err != nil {
				t.Errorf("row %d: %v", r.Number, err)
			}
			return nil
		})
		if err != nil && err.Error() == "" {
			t.Error("the error says nothing")
		}
	})
}
