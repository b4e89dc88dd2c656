package ingestion_test

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ update, want string }{
		"of an event join the schema of a table": {`?schema=[["n","long"]]`, `[["n","long"],["page","string"]]`},
		"join none that does not detect schemas": {`?schema=[["n","long"]]&detect_schema=false`, `[["n","long"]]`},
		"need not join one that has no columns":  {`?description=none`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			c.core("POST", "/table/update/shop/events"+strings.NewReplacer(`"`, "%22", "[", "%5B", "]",
				"%5D").Replace(test.update))
			c.ingest(`{"n":1,"Page":"/a","a b":2,"time":3}`).Want(200)
			c.core("GET", "/table/show/shop/events").Wants("schema", test.want)
		})
	}
}
