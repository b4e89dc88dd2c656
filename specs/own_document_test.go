package specs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestBrand(t *testing.T) {
	t.Parallel()
	t.Run("replaces the neutral word in all its spellings and nowhere else", func(t *testing.T) {
		t.Parallel()
		brand, err := specs.ParseBrand("Acme")
		if err != nil {
			t.Fatal(err)
		}
		got := brand.Text("SVC1 X-SVC-Write-Key svc_record_time svcDatabaseName https://core.svc.example " +
			"${secret:svc.apikey} svcs mysvc")
		want := "ACME1 X-ACME-Write-Key acme_record_time acmeDatabaseName https://core.acme.example ${secret:acme.apikey} " +
			"svcs mysvc"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		spelled := []string{brand.Scheme(), brand.WriteKeyHeader(), brand.RecordTime()}
		if diff := cmp.Diff([]string{"ACME1", "X-ACME-Write-Key", "acme_record_time"}, spelled); diff != "" {
			t.Errorf("scheme, header and field (-want +got):\n%s", diff)
		}
	})
	t.Run("is one word", func(t *testing.T) {
		t.Parallel()
		for _, word := range []string{"", "a b", "1a", "a-b", "a:b", strings.Repeat("a", 33)} {
			if _, err := specs.ParseBrand(word); err == nil {
				t.Errorf("%q is accepted", word)
			}
		}
	})
}

func TestOwnDocument(t *testing.T) {
	t.Parallel()
	source := load(t, specs.Workflow).Source()
	t.Run("differs by the operations that it lacks or adds", func(t *testing.T) {
		t.Parallel()
		changed := strings.Replace(string(source), "\n  /api/pools:\n", "\n  /api/ponds:\n", 1)
		changed = strings.ReplaceAll(changed, "{poolId}", "{pool}")
		changed = strings.ReplaceAll(changed, "name: poolId", "name: pool")
		own, err := specs.Parse(specs.Workflow, "own.yaml", []byte(changed), "")
		if err != nil {
			t.Fatal(err)
		}
		missing, extra := load(t, specs.Workflow).Compare(own)
		if diff := cmp.Diff([]string{"GET /api/pools", "POST /api/pools"}, missing); diff != "" {
			t.Errorf("missing (-want +got):\n%s", diff)
		}
		slices.Sort(extra)
		if diff := cmp.Diff([]string{"GET /api/ponds", "POST /api/ponds"}, extra); diff != "" {
			t.Errorf("extra (-want +got):\n%s", diff)
		}
	})
	t.Run("is parsed once, and anew when it has changed", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "own.yaml")
		loaded := func(text []byte) *specs.Document {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			own, err := specs.LoadFile(specs.Workflow, file, "")
			if err != nil {
				t.Fatal(err)
			}
			return own
		}
		first, again := loaded(source), loaded(source)
		if first != again {
			t.Error("the same text was parsed twice")
		}
		changed := loaded(bytes.Replace(source, []byte("\n  /api/pools:\n"), []byte("\n  /api/ponds:\n"), 1))
		if changed.Operation("getApiPonds") == nil || first.Operation("getApiPonds") != nil {
			t.Error("what changed is not there, or is there in what was loaded before")
		}
	})
	for name, text := range map[string]string{
		"that is no YAML": ":\n  - ][",
		"without paths":   "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\n",
		"with a path that is no path": "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {'/a/{x': {get: " +
			"{operationId: a, responses: {'200': {description: x}}}}}\n",
		"with a reference into nowhere": "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {/a: {get: {operationId: " +
			"a, responses: {'200': {$ref: '#/components/responses/X'}}}}}\n",
	} {
		t.Run(name+" is refused, and the file named", func(t *testing.T) {
			t.Parallel()
			_, err := specs.Parse(specs.Workflow, "own.yaml", []byte(text), "")
			if err == nil || !strings.Contains(err.Error(), "own.yaml") {
				t.Errorf("error %v", err)
			}
		})
	}
}
