package data_test

import (
	"net/http"
	"testing"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	t.Run("a connection is created, listed, looked up and deleted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Get("/result/list").Exactly(`{"results":[]}`)
		c.Post("/result/create/warehouse_s3", `{"url":"s3://loader:secret@objects.shop.example/exports"}`).
			Exactly(`{"name":"warehouse_s3","result":"warehouse_s3"}`)
		c.Post("/result/create/my%20ftp", "url=sftp://files.shop.example").Exactly(`{"name":"my ftp","result":"my ftp"}`)
		c.Post("/result/create/mail?url=smtp:x", "").Want(http.StatusOK)
		c.Get("/result/list").Exactly(`{"results":[` +
			`{"name":"warehouse_s3","url":"s3://loader:secret@objects.shop.example/exports","organization":null},` +
			`{"name":"my ftp","url":"sftp://files.shop.example","organization":null},` +
			`{"name":"mail","url":"smtp:x","organization":null}]}`)
		c.Get("/connections/lookup?name=my+ftp").Exactly(`{"id":2}`)
		c.Post("/result/delete/my%20ftp", "").Exactly(`{"name":"my ftp","result":"my ftp"}`)
		c.Get("/connections/lookup?name=my+ftp").Refused(http.StatusNotFound, "my ftp")
		c.Post("/result/delete/my%20ftp", "").Refused(http.StatusNotFound, "my ftp")
		c.Post("/result/create/my%20ftp", "url=sftp://files.shop.example").Want(http.StatusOK)
		c.Get("/connections/lookup?name=my+ftp").Exactly(`{"id":4}`)
	})
	t.Run("a used name is refused", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/result/create/abc", `{"url":"s3://a"}`).Want(http.StatusOK)
		c.Post("/result/create/abc", `{"url":"s3://b"}`).Refused(http.StatusConflict, "abc")
		c.Get("/result/list").Exactly(`{"results":[{"name":"abc","url":"s3://a","organization":null}]}`)
	})
	for name, test := range map[string]struct {
		key, method, path, body string
		status                  int
		word                    string
	}{
		"a short name":         {"admin", "POST", "/result/create/ab", `{"url":"s3://a"}`, 422, "3 or more"},
		"no URL":               {"admin", "POST", "/result/create/abc", `{}`, 422, "url"},
		"an empty URL":         {"admin", "POST", "/result/create/abc", `{"url":""}`, 422, "url"},
		"a deletion of none":   {"admin", "POST", "/result/delete/abc", "", 404, "abc"},
		"a look-up of nothing": {"admin", "GET", "/connections/lookup", "", 400, "name"},
		"a look-up of none":    {"admin", "GET", "/connections/lookup?name=abc", "", 404, "abc"},
		"a write-only key":     {"write", "GET", "/result/list", "", 403, "write-only"},
		"no type": {
			"admin", "POST", "/connector_configs/validate_with_connection", `{"settings":{}}`, 422,
			"type",
		},
		"no settings": {
			"admin", "POST", "/connector_configs/validate_with_connection", `{"type":"s3"}`, 422,
			"settings",
		},
		"settings as a text": {
			"admin", "POST", "/connector_configs/validate_with_connection",
			`{"type":"s3","settings":"x"}`, 422, "settings",
		},
		"an unknown connection": {
			"admin", "POST", "/connector_configs/validate_with_connection",
			`{"type":"s3","settings":{},"connection_id":9}`, 404, "9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newClient(t).as("1/"+test.key).Call(test.method, test.path, test.body).Refused(test.status, test.word)
		})
	}
	t.Run("a good configuration is sent back without its connection", func(t *testing.T) {
		t.Parallel()
		const path = "/connector_configs/validate_with_connection"
		c := newClient(t)
		c.Post(path, `{"type":"s3","settings":{"bucket":"b","n":[1, null]}}`).
			Exactly(`{"type":"s3","settings":{"bucket":"b","n":[1,null]}}`)
		c.Post("/result/create/warehouse", `{"url":"s3://x"}`).Want(http.StatusOK)
		c.Post(path, `{"type":"s3_v2","settings":{},"connection_id":1}`).Exactly(`{"type":"s3_v2","settings":{}}`)
		c.Post(path, `type=s3&settings={"bucket":"b"}&connection_id=1`).Exactly(`{"type":"s3","settings":{"bucket":"b"}}`)
		c.Post(path, `{"type":"sftp","settings":{},"connection_id":1}`).
			Refused(http.StatusUnprocessableEntity, "warehouse is not for sftp")
	})
}

func TestDataConnectorRestrictions(t *testing.T) {
	t.Parallel()
	newClient(t).Get("/data_connector_restrictions").Exactly("{}")
}
