package core_test

import (
	"net/http"
	"testing"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	t.Run("a connection is created, listed, looked up and deleted", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.get("/result/list").exactly(`{"results":[]}`)
		c.post("/result/create/warehouse_s3", `{"url":"s3://loader:secret@objects.shop.example/exports"}`).
			exactly(`{"name":"warehouse_s3","result":"warehouse_s3"}`)
		c.post("/result/create/my%20ftp", "url=sftp://files.shop.example").exactly(`{"name":"my ftp","result":"my ftp"}`)
		c.post("/result/create/mail?url=smtp:x", "").want(http.StatusOK)
		c.get("/result/list").exactly(`{"results":[` +
			`{"name":"warehouse_s3","url":"s3://loader:secret@objects.shop.example/exports","organization":null},` +
			`{"name":"my ftp","url":"sftp://files.shop.example","organization":null},` +
			`{"name":"mail","url":"smtp:x","organization":null}]}`)
		c.get("/connections/lookup?name=my+ftp").exactly(`{"id":2}`)
		c.post("/result/delete/my%20ftp", "").exactly(`{"name":"my ftp","result":"my ftp"}`)
		c.get("/connections/lookup?name=my+ftp").refused(http.StatusNotFound, "my ftp")
		c.post("/result/delete/my%20ftp", "").refused(http.StatusNotFound, "my ftp")
		c.post("/result/create/my%20ftp", "url=sftp://files.shop.example").want(http.StatusOK)
		c.get("/connections/lookup?name=my+ftp").exactly(`{"id":4}`)
	})
	t.Run("a used name is refused", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.post("/result/create/abc", `{"url":"s3://a"}`).want(http.StatusOK)
		c.post("/result/create/abc", `{"url":"s3://b"}`).refused(http.StatusConflict, "abc")
		c.get("/result/list").exactly(`{"results":[{"name":"abc","url":"s3://a","organization":null}]}`)
	})
	accessRefuses(t, map[string]accessRefusal{
		"a short name":          {"admin", "POST", "/result/create/ab", `{"url":"s3://a"}`, 422, "3 or more"},
		"no URL":                {"admin", "POST", "/result/create/abc", `{}`, 422, "url"},
		"an empty URL":          {"admin", "POST", "/result/create/abc", `{"url":""}`, 422, "url"},
		"a deletion of none":    {"admin", "POST", "/result/delete/abc", "", 404, "abc"},
		"a look-up of nothing":  {"admin", "GET", "/connections/lookup", "", 400, "name"},
		"a look-up of none":     {"admin", "GET", "/connections/lookup?name=abc", "", 404, "abc"},
		"a write-only key":      {"kiosk-writes", "GET", "/result/list", "", 403, "write-only"},
		"no type":               {"admin", "POST", "/connector_configs/validate_with_connection", `{"settings":{}}`, 422, "type"},
		"no settings":           {"admin", "POST", "/connector_configs/validate_with_connection", `{"type":"s3"}`, 422, "settings"},
		"settings as a text":    {"admin", "POST", "/connector_configs/validate_with_connection", `{"type":"s3","settings":"x"}`, 422, "settings"},
		"an unknown connection": {"admin", "POST", "/connector_configs/validate_with_connection", `{"type":"s3","settings":{},"connection_id":9}`, 404, "9"},
	})
	t.Run("a good configuration is sent back without its connection", func(t *testing.T) {
		t.Parallel()
		const path = "/connector_configs/validate_with_connection"
		c := newAccess(t)
		c.post(path, `{"type":"s3","settings":{"bucket":"b","n":[1, null]}}`).
			exactly(`{"type":"s3","settings":{"bucket":"b","n":[1,null]}}`)
		c.post("/result/create/warehouse", `{"url":"s3://x"}`).want(http.StatusOK)
		c.post(path, `{"type":"s3_v2","settings":{},"connection_id":1}`).exactly(`{"type":"s3_v2","settings":{}}`)
		c.post(path, `type=s3&settings={"bucket":"b"}&connection_id=1`).exactly(`{"type":"s3","settings":{"bucket":"b"}}`)
		c.post(path, `{"type":"sftp","settings":{},"connection_id":1}`).
			refused(http.StatusUnprocessableEntity, "warehouse is not for sftp")
	})
}

func TestDataConnectorRestrictions(t *testing.T) {
	t.Parallel()
	newAccess(t).get("/data_connector_restrictions").exactly("{}")
}
