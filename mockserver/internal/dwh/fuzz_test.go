package dwh_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// Whatever is sent, even past the document, is made or refused, and what is made can be read, run and loaded again. The
// mock's own faults fail the test.
func FuzzCreation(f *testing.F) {
	f.Add(orders)
	f.Add(strings.ReplaceAll(orders, `"name"`, `"schedule_type": "cron", "schedule_option": "* * * * *", "name"`))
	f.Add(strings.ReplaceAll(orders, "orders_from_warehouse", `\ud83d\ude00 ./\\\" \u0000\u2028 {{x}}: - #`))
	f.Add(`{"basic_configs": null, "advanced_configs": {}, "output_config": [], "filter_configs": 7, "timezone": "../UTC"}`)
	f.Fuzz(func(t *testing.T, body string) {
		c := mocktest.New(t, "dwh", mockserver.WithValidation(mockserver.Off)).Load(sales)
		made := c.Call(http.MethodPost, "/v1/dwh/", body, "Content-Type", "application/json")
		if made.Status != http.StatusOK {
			made.Refused(http.StatusBadRequest)
			return
		}
		for _, rest := range []string{"", "/configs", "/bulkload_sessions", "/session_attempts"} {
			c.Get("/v1/dwh/1" + rest)
		}
		c.Put("/v1/dwh/1/run_workflow", "").Want(http.StatusOK)
		dump, err := c.World().State()
		if err == nil {
			err = c.World().Load(dump)
		}
		if err != nil {
			t.Error(err)
		}
	})
}
