package core_test

import (
	"encoding/json"
	"testing"
)

// A schema, whatever its text, is refused with 400 or 422 or becomes one that can be sent again as it is shown.
func FuzzSchemas(f *testing.F) {
	for _, text := range []string{
		`[["id","long"],["total","double","sum","Sum of it"]]`, `[["a","array<map<string,array<int>>>"]]`,
		`[["a","int"],["a","int"]]`, `[["time","long"]]`, `[]`, ``, `null`, `[[]]`, `[["A","int","\ud800"]]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newRoom(t)
		body := func(schema any) string {
			data, err := json.Marshal(map[string]any{"schema": schema})
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		const path = "/table/update-schema/shop/orders"
		if a := r.post(path, body(text)); a.status != 200 {
			if a.status != 400 && a.status != 422 {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			return
		}
		shown := func() any {
			return r.get("/table/show/shop/orders?include_descriptions=true").want(200).object()["schema"]
		}
		once := shown()
		r.post(path, body(once)).want(200)
		if again := shown(); again != once {
			t.Errorf("sent %s, shown %s", once, again)
		}
	})
}
