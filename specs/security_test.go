package specs_test

import (
	"testing"

	"svc.example/understudy/specs"
)

//nolint:paralleltest // others would allocate as well
func TestCredentialsAreFoundOnce(t *testing.T) {
	doc, err := specs.Load(specs.Workflow, "")
	if err != nil {
		t.Fatal(err)
	}
	o := doc.Operation("getPool")
	if len(o.Security()) == 0 {
		t.Fatal("the operation wants no credentials")
	}
	if n := testing.AllocsPerRun(100, func() { o.Security() }); n > 0 {
		t.Errorf("it allocates %g times, want never", n)
	}
}
