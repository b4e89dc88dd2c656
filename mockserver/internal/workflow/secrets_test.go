package workflow_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	value := func(text string) object { return object{"value": text} }
	keys := func(h client) []any { return pick(list(h.get("/api/projects/1/secrets"), "secrets"), "key") }
	setUp := func(h client) client {
		h.upload("shop", "v1", map[string]string{"a": plain})
		return h
	}
	t.Run("list their keys and never a value", func(t *testing.T) {
		t.Parallel()
		h := setUp(newClient(t))
		wantEqual(t, "none", h.get("/api/projects/1/secrets"), object{"secrets": []any{}})
		for _, key := range []string{"mail.api_key", "a-b.C_1"} {
			if body := h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/"+key, value("hunter2")); body != nil {
				t.Errorf("body %v, want none", body)
			}
		}
		wantEqual(t, "secrets", h.get("/api/projects/1/secrets"),
			object{"secrets": []any{object{"key": "mail.api_key"}, object{"key": "a-b.C_1"}}})
	})
	t.Run("are overwritten silently", func(t *testing.T) {
		t.Parallel()
		h := setUp(newClient(t))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/a", value("1"))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/a", value("2"))
		wantEqual(t, "keys", keys(h), []any{"a"})
	})
	t.Run("stay over revisions", func(t *testing.T) {
		t.Parallel()
		h := setUp(newClient(t))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/a", value("1"))
		h.upload("shop", "v2", map[string]string{"a": plain})
		wantEqual(t, "keys", keys(h), []any{"a"})
	})
	t.Run("can be deleted, also when they are not there", func(t *testing.T) {
		t.Parallel()
		h := setUp(newClient(t))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/a", value("1"))
		for range 2 {
			if body := h.do(http.StatusNoContent, "DELETE", "/api/projects/1/secrets/a", nil); body != nil {
				t.Errorf("body %v, want none", body)
			}
		}
		wantEqual(t, "keys", keys(h), []any{})
	})
	t.Run("may have 16 KiB and an empty value", func(t *testing.T) {
		t.Parallel()
		h := setUp(newClient(t))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/big", value(strings.Repeat("x", 16384)))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/empty", value(""))
		h.do(http.StatusNoContent, "PUT", "/api/projects/1/secrets/"+strings.Repeat("k", 255), value("1"))
	})
	for name, test := range map[string]struct {
		key  string
		body any
		word string
	}{
		"an empty segment":         {"a..b", value("1"), "key"},
		"a leading dot":            {".a", value("1"), "key"},
		"a space":                  {"a%20b", value("1"), "key"},
		"a slash":                  {"a%2Fb", value("1"), "key"},
		"a key that is too long":   {strings.Repeat("k", 256), value("1"), "key"},
		"a value that is too long": {"a", value(strings.Repeat("x", 16385)), "value"},
		"a value of too many bytes, though not characters": {"a", value(strings.Repeat("é", 8193)), "value"},
		"a missing value":          {"a", object{}, "value"},
		"a null value":             {"a", value("x")["none"], ""},
		"a value of another type":  {"a", object{"value": 1}, ""},
		"a body that is no object": {"a", []any{}, ""},
	} {
		t.Run("refuse "+name, func(t *testing.T) {
			t.Parallel()
			for _, h := range []client{setUp(newClient(t)), setUp(lenient(t))} {
				h.send("PUT", "/api/projects/1/secrets/"+test.key, test.body).Refused(http.StatusBadRequest, test.word)
				wantEqual(t, "keys", keys(h), []any{})
			}
		})
	}
	t.Run("refuse to delete a malformed key", func(t *testing.T) {
		t.Parallel()
		setUp(newClient(t)).send("DELETE", "/api/projects/1/secrets/a..b", nil).Refused(http.StatusBadRequest, "key")
	})
	t.Run("need a project", func(t *testing.T) {
		t.Parallel()
		h := newClient(t)
		h.send("PUT", "/api/projects/1/secrets/a", value("1")).Refused(http.StatusNotFound, "project")
		h.send("DELETE", "/api/projects/1/secrets/a", nil).Refused(http.StatusNotFound, "project")
	})
	t.Run("refuse a body that is not JSON", func(t *testing.T) {
		t.Parallel()
		for _, h := range []client{setUp(newClient(t)), setUp(lenient(t))} {
			h.Put("/api/projects/1/secrets/a", `{"value":`).Refused(http.StatusBadRequest)
		}
	})
}
