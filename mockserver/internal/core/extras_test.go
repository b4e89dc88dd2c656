package core_test

import (
	"net/http"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestServerStatus(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core")
	for _, key := range []string{"", "1/nobody", "1/admin"} {
		if got := c.As(key).Get("/system/server_status").Want(200).Body; got != `{"status":"ok"}` {
			t.Errorf("with key %q the answer is %s", key, got)
		}
	}
}

func TestWithoutExtras(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core", mockserver.WithExtras(false)).Load("core: {databases: [{name: shop, tables: [{name: orders}]}]}\n")
	c.Call(http.MethodPut, "/table/import/shop/orders/msgpack.gz", "").Refused(404, "no operation PUT")
	c.Get("/system/server_status").Refused(404)
	c.Get("/table/show/shop/orders").Want(200)
}
