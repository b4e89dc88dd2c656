package data_test

import (
	"encoding/json"
	"testing"
)

// A schema, whatever its text, is refused with 400 or 422, or is stored in a form that can be sent again.
func FuzzSchemas(f *testing.F) {
	for _, text := range []string{
		`[["id","long"],["total","double","sum","Sum of it"]]`, `[["a","array<map<string,array<int>>>"]]`,
		`[["a","int"],["a","int"]]`, `[["time","long"]]`, `[]`, ``, `null`, `[[]]`, `[["A","int","\ud800"]]`,
	} {
		f.Add(text)
	}
	shared := newShop(f)
	f.Fuzz(func(t *testing.T, text string) {
		r := shared.in(t)
		body := func(schema any) string {
			data, err := json.Marshal(map[string]any{"schema": schema})
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		const path = "/table/update-schema/shop/orders"
		if a := r.Post(path, body(text)); a.Status != 200 {
			if a.Status != 400 && a.Status != 422 {
				t.Errorf("status %d: %s", a.Status, a.Body)
			}
			return
		}
		shown := func() any {
			return r.Get("/table/show/shop/orders?include_descriptions=true").Want(200).Object()["schema"]
		}
		once := shown()
		r.Post(path, body(once)).Want(200)
		if again := shown(); again != once {
			t.Errorf("sent %s, shown %s", once, again)
		}
	})
}
