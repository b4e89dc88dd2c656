package data_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	t.Run("columns come as JSON, as text, in a form or in the query, and go as text", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct{ name, query, body string }{
			{"an array", "", `{"schema":[["id","long"],["tags","array<string>"]]}`},
			{"a text", "", `{"schema":"[[\"id\",\"long\"],[\"tags\",\"array<string>\"]]"}`},
			{"a form", "", `schema=%5B%5B%22id%22%2C%22long%22%5D%2C%5B%22tags%22%2C%22array%3Cstring%3E%22%5D%5D`},
			{"the query", `?schema=%5B%5B%22id%22%2C%22long%22%5D%2C%5B%22tags%22%2C%22array%3Cstring%3E%22%5D%5D`, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				c := newShop(t)
				c.Post("/table/create/shop/visits/log"+test.query, test.body).Want(200)
				c.Post("/table/update/shop/orders"+test.query, test.body).Want(200)
				c.Post("/table/update-schema/shop/carts"+test.query, test.body).Want(200)
				c.Post("/table/append-schema/archive/carts"+test.query, test.body).Want(200)
				want := map[string]any{"schema": `[["id","long"],["tags","array<string>"]]`}
				for _, path := range []string{"shop/visits", "shop/orders", "shop/carts", "archive/carts"} {
					if diff := cmp.Diff(want, c.table(path, "schema")); diff != "" {
						t.Errorf("%s (-want +got):\n%s", path, diff)
					}
				}
			})
		}
	})
	t.Run("alias and description are kept, and shown as far as they are asked for", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/update-schema/shop/orders",
			`{"schema":[["id","long","id_number","Number"],["total","double","total_sum"],["state","string","","State"]]}`).Want(
			200)
		plain := map[string]any{"schema": `[["id","long","id_number"],["total","double","total_sum"],["state","string"]]`}
		if diff := cmp.Diff(plain, c.table("shop/orders", "schema")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		described := map[string]any{"schema": `[["id","long","id_number","Number"],["total","double","total_sum",""],` +
			`["state","string","state","State"]]`}
		if diff := cmp.Diff(described, c.table("shop/orders?include_descriptions=true", "schema")); diff != "" {
			t.Errorf("with descriptions (-want +got):\n%s", diff)
		}
	})
	t.Run("appending keeps what is there, replacing does not", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		c.Post("/table/append-schema/shop/orders", `{"schema":[["id","long"]]}`).
			Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
		c.Post("/table/append-schema/shop/orders", `{"schema":[["total","double"]]}`).Want(200)
		want := map[string]any{"schema": `[["id","long"],["total","double"]]`}
		if diff := cmp.Diff(want, c.table("shop/orders", "schema")); diff != "" {
			t.Errorf("appended (-want +got):\n%s", diff)
		}
		c.Post("/table/update-schema/shop/orders", `{"schema":[["state","string"]]}`).
			Want(200).Same(`{"database":"shop","table":"orders","type":"log"}`)
		want = map[string]any{"schema": `[["state","string"]]`}
		if diff := cmp.Diff(want, c.table("shop/orders", "schema")); diff != "" {
			t.Errorf("replaced (-want +got):\n%s", diff)
		}
	})
	t.Run("a column that is there twice is 422, or taken once where that is asked for", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		const twice = `"schema":[["id","long"],["id","string"]]`
		c.Post("/table/update-schema/shop/orders", `{`+twice+`}`).Refused(422, "id", "twice")
		c.Post("/table/append-schema/shop/orders", `{`+twice+`}`).Refused(422, "id", "twice")
		c.Post("/table/update-schema/shop/orders", `{"schema":[["time","long"]]}`).Refused(422, "time", "by default")
		for _, path := range []string{"/table/update-schema/shop/orders", "/table/update/shop/orders"} {
			c.Post(path, `{`+twice+`,"ignore_duplicate_schema":true}`).Want(200)
			want := map[string]any{"schema": `[["id","long"]]`}
			if diff := cmp.Diff(want, c.table("shop/orders", "schema")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		c.Post("/table/append-schema/shop/orders", `{"schema":[["id","long"]]}`).Refused(422, "id", "twice")
	})
	t.Run("a reserved name is 422 wherever a schema is given", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for _, path := range []string{
			"update-schema/shop/orders", "append-schema/shop/orders", "update/shop/orders",
			"create/shop/visits", "create/shop/visits/log",
		} {
			for _, more := range []string{"", `,"ignore_duplicate_schema":true`} {
				c.Post("/table/"+path, `{"schema":[["id","long"],["v","string"]]`+more+`}`).Refused(422, "v", "reserved")
			}
		}
		c.Get("/table/show/shop/visits").Want(404)
		c.Post("/table/create/shop/visits", `{"schema":[["vv","string"],["v1","string"]]}`).Want(200)
	})
	t.Run("every type of columns is known", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for _, kind := range []string{
			"int", "long", "float", "double", "string", "array<long>", "array<array<string>>",
			"map<string,long>", "map<int, array<double>>",
		} {
			c.Post("/table/update-schema/shop/orders", `{"schema":[["a","`+kind+`"]]}`).Want(200)
		}
	})
	t.Run("what is no column is 400, in the words of the rule", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for _, test := range []struct {
			schema string
			words  []string
		}{
			{`[["a","text"]]`, []string{"a", "text", "array<"}},
			{`[["a","array<>"]]`, []string{"array<>"}},
			{`[["a","array<date>"]]`, []string{"array<date>"}},
			{`[["a","map<string>"]]`, []string{"map<string>"}},
			{`[["a","map<array<int>,int>"]]`, []string{"map<array<int>,int>"}},
			{`[["a","INT"]]`, []string{"INT"}},
			{`[["A","int"]]`, []string{"A", "lower-case"}},
			{`[["1a","int"]]`, []string{"1a", "digit"}},
			{`[["","int"]]`, []string{"0 characters"}},
			{`"[[\"a\"]]"`, []string{"1 elements"}},
			{`"[[\"a\",\"int\",\"a\",\"b\",\"c\"]]"`, []string{"5 elements"}},
			{`"id:long"`, []string{"JSON array"}},
			{`""`, []string{"JSON array"}},
			{`"null"`, []string{"JSON array"}},
			{`"{}"`, []string{"JSON array"}},
			{`"[1]"`, []string{"JSON array"}},
		} {
			for _, path := range []string{
				"/table/create/shop/visits", "/table/create/shop/visits/log", "/table/update/shop/orders",
				"/table/update-schema/shop/orders", "/table/append-schema/shop/orders",
			} {
				c.Post(path, `{"schema":`+test.schema+`}`).Refused(400, append(test.words, "schema")...)
			}
		}
	})
}
