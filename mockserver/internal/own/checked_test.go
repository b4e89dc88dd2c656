package own_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

// What a mock of a document answers conforms to the document, and what does not is found, by the document alone: its
// schemas, its security schemes, and what became of its resources.
func TestOwnInterfacesAreChecked(t *testing.T) {
	t.Parallel()
	var recording bytes.Buffer
	c := newOwnShop(t, mockserver.WithRecording(&recording))
	c.story(`
		POST /products {"name":"rose","price":2.50} -> 201…
		GET /products/1 -> 200…
		GET /products?limit=5 -> 200…
		PATCH /products/1 {"price":3} -> 200…
		GET /tax-rates -> 200…
		DELETE /products/1 -> 204
		GET /products/1 -> 404…`)
	text := recording.String()
	for name, test := range map[string]struct {
		from, to string
		want     string // rule and message of a finding; empty: none that fails
	}{
		"the recording itself":     {"", "", ""},
		"a member of another type": {`\"price\":3,`, `\"price\":\"3\",`, "schema: "},
		"a member that no schema names": {
			`\"price\":3,`, `\"price\":3,\"colour\":\"red\",`, "",
		},
		"an undocumented status": {`"status":404`, `"status":418`, "undocumented-status: "},
		"another scheme":         {`"Authorization","Bearer `, `"Authorization","Basic `, "auth-scheme: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(text, test.from) {
				t.Fatalf("the recording has no %s:\n%s", test.from, text)
			}
			checker, err := contract.NewChecker(contract.WithSpec("shop", "../../testdata/own/shop.yaml"),
				contract.WithInterfaces("shop"))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.NewReader(strings.ReplaceAll(text, test.from, test.to))
			report, err := checker.Check(t.Context(), contract.Read("shop.ndjson", changed))
			if err != nil {
				t.Fatal(err)
			}
			if report.Exchanges.Matched != 7 {
				t.Errorf("%d of 7 exchanges matched", report.Exchanges.Matched)
			}
			var found []string
			for _, f := range report.Findings {
				found = append(found, f.Rule+": "+f.Message)
			}
			all := strings.Join(found, "\n")
			if test.want == "" && report.Failed() ||
				test.want != "" && (!report.Failed() || !strings.Contains(all, test.want)) {
				t.Errorf("failed %v, want %q in\n%s", report.Failed(), test.want, all)
			}
			for operation := range report.Coverage.Operations {
				if !strings.HasPrefix(operation, "shop.") {
					t.Errorf("the coverage counts %s", operation)
				}
			}
		})
	}
}

// A deletion of a collection may have taken any of its objects, and a search need not show all.
func TestOwnDeletionsOfSeveralAreChecked(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/own/search.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "search.yaml")
	text = append(text, "x-resources: {thing: {path: [id], unique: [{at: /name}], list: {filter: {olderThan: /name}}}}\n"...)
	for from, to := range map[string]string{
		"    post: {requestBody":               "    post: {x-resource: {resource: thing, verb: create}, requestBody",
		"    delete:\n      parameters":        "    delete:\n      x-resource: {resource: thing, verb: delete, path: []}\n      parameters",
		"    get: {responses: {\"200\": {desc": "    get: {x-resource: {resource: thing, verb: get}, responses: {\"200\": {desc",
	} {
		if !bytes.Contains(text, []byte(from)) {
			t.Fatalf("%q is missing", from)
		}
		text = bytes.Replace(text, []byte(from), []byte(to), 1)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var recording bytes.Buffer
	c := newOwnShop(t, mockserver.WithSpec("shop", file), mockserver.WithRecording(&recording))
	c.story(`
		POST /things {"name":"a"} -> 201 {"id":1,"name":"a"}
		POST /things {"name":"b"} -> 201 {"id":2,"name":"b"}
		POST /things {"name":"a"} -> 409…
		POST /things/search {"name":"a"} -> 200 {"items":[{…
		DELETE /things?olderThan=a -> 200 {"deleted":1,"ids":[1]}
		POST /things {"name":"a"} -> 201 {"id":3,"name":"a"}
		GET /things/1 -> 404
		GET /things/2 -> 200…
		DELETE /things -> 200…
		DELETE /things -> 200…
		GET /things/2 -> 404`)
	wantNoContradiction(t, file, &recording)
}

// A mark that is not there says nothing about the object that it would be of.
func TestOwnMarksAreChecked(t *testing.T) {
	t.Parallel()
	const file = "../../testdata/own/marks.yaml"
	var recording bytes.Buffer
	c := newOwnShop(t, mockserver.WithSpec("shop", file), mockserver.WithRecording(&recording))
	c.story(`
		PUT /things/a {"name":"a"} -> 200…
		GET /things/a/star -> 404
		GET /things/a -> 200…
		PUT /things/a/star -> 204
		GET /things/a/star -> 204
		DELETE /things/a/star -> 204
		GET /things/a/star -> 404
		GET /things/a -> 200…`)
	wantNoContradiction(t, file, &recording)
}

// wantNoContradiction holds a recording against the life cycles of the objects of a document.
func wantNoContradiction(t *testing.T, file string, recording io.Reader) {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithSpec("shop", file), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := checker.Check(t.Context(), contract.Read("shop.ndjson", recording))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Rule == "consistency" || f.Rule == "use-after-delete" {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
}
