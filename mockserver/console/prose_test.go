package console_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/console"
)

// What stands between backticks in a document is shown as code.
func TestTextsOfDocumentsShowTheirCode(t *testing.T) {
	t.Parallel()
	page := open(t, http.DefaultClient, start(t)+console.Path+"w/default/operations/core.issueJob")
	for _, want := range []string{"With a <code>domain_key</code>, repeating", "Known values are <code>hive</code>,"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if strings.Contains(text(page.body), "`") {
		t.Error("the page shows backticks")
	}
}
