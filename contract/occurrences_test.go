package contract_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// wrongPools returns an HTTP Archive of exchanges that all have the same fault, without a line break.
func wrongPools(n int) string {
	const entry = `{"startedDateTime":"2026-01-15T09:30:00Z","time":1,"request":{"method":"GET",` +
		`"url":"https://workflow.svc.example/api/pools/%d","headers":[{"name":"Authorization","value":"SVC1 1/admin"}]},` +
		`"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],` +
		`"content":{"size":-1,"mimeType":"application/json","text":"{\"id\":\"%d\",\"name\":7}"}}}`
	var entries []string
	for i := range n {
		entries = append(entries, fmt.Sprintf(entry, i+1, i+1))
	}
	return `{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` + strings.Join(entries, ",") + `]}}`
}

// A finding shows all its places, each with the file and the number of the entry in it.
func TestEveryOccurrenceHasItsPlace(t *testing.T) {
	t.Parallel()
	first, second := write(t, "a.har", wrongPools(2)), write(t, "b.har", wrongPools(60))
	r := checked(t, contract.Files(first, second))
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{
		"×62, first at #1", "(" + first + ":1)",
		"also #2 (" + first + ", entry 2), #3 (" + second + ":1), #4 (" + second + ", entry 2),",
		"and 56 more",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("the text does not tell %q:\n%s", want, text.String())
		}
	}
	kept := map[string]int{}
	for _, f := range r.Findings {
		kept[f.Pointer]++
		if line := r.Shown[f.Exchange]; line.Entry == 0 || !line.OnDisk {
			t.Errorf("exchange %d has the place %+v", f.Exchange, line)
		}
	}
	if diff := cmp.Diff(50, kept["/response/body/name"]); diff != "" {
		t.Errorf("places that are kept (-want +got):\n%s", diff)
	}
	if got := len(r.Groups[0].Occurrences); got != 50 {
		t.Errorf("the group has %d occurrences, want the 50 that are kept", got)
	}
}

// A document of the user's own is named as the user named it, also in the folder that a command runs in.
func TestOwnDocumentKeepsItsPath(t *testing.T) {
	t.Parallel()
	path := write(t, "own.yaml", shifted)
	source, err := os.ReadFile("testdata/pools.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker(t, contract.WithSpec("workflow", path)).Check(t.Context(),
		contract.Read("memory", bytes.NewReader(source)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{path}, r.Own); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if err := r.WriteGitHub(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "file="+path+",line=") {
		t.Errorf("no annotation is in %s:\n%s", path, out.String())
	}
}
