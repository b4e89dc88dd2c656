package contract_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract"
)

func TestSeverityNamesItsOperation(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]string{
		"":                  `severity error of the rule "schema" on the operation "": want a rule and an operation; * stands for all`,
		"workflow.listPols": "severity of schema on workflow.listPols: unknown operation: want workflow.listPools",
	} {
		_, err := contract.NewChecker(contract.WithSeverity("schema", operation, "error"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", operation, err, want)
		}
	}
}
