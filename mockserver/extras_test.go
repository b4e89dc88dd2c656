package mockserver_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// manyRows is an upload of rows with numbers from 1.
func manyRows(t *testing.T, count int) []byte {
	t.Helper()
	return []byte(packedRows(t, count, func(i int) map[string]any { return map[string]any{"n": i + 1} }))
}

// Rows come over a socket as clients send them: with their length, in chunks, and only when they are asked for.
func TestImportOverASocket(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t, mockserver.WithScenario("quickstart"))
	mocktest.Call(t, s, "POST", "/core/v3/table/create/shop/loads", "").Want(200)
	body := manyRows(t, 1000)
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	for name, form := range map[string]struct {
		body   io.Reader
		header [2]string
	}{
		"with its length": {bytes.NewReader(body), [2]string{"Content-Type", "application/octet-stream"}},
		"in chunks": {
			io.MultiReader(bytes.NewReader(body)),
			[2]string{"Content-Type", "application/octet-stream"},
		},
		"when it is asked for": {bytes.NewReader(body), [2]string{"Expect", "100-continue"}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL("core")+"/table/import/shop/loads/msgpack.gz",
			form.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", mocktest.Admin)
		r.Header.Set(form.header[0], form.header[1])
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("%s: %d %s", name, response.StatusCode, text)
		}
	}
	if got := mocktest.Decode[struct{ Count int }](mocktest.Call(t, s, "GET", "/core/v3/table/show/shop/loads", "")).Count; got != 3000 {
		t.Errorf("%d rows, want 3000", got)
	}
}

// A client that a minted key has led into a world of its own stays there with a key that it has made.
func TestKeysMadeInAWorld(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
	made := map[string]bool{}
	for _, world := range []string{"a", "b"} {
		created := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"`+world+`","mintKeys":true}`).Want(201)
		admin := "SVC1 " + mocktest.Decode[struct{ Keys map[string]string }](created).Keys["admin"]
		added := mocktest.Call(t, s, "POST", "/core/v3/user/apikey/add/1", "", "Authorization", admin).Want(200)
		key := mocktest.Decode[struct{ Apikey string }](added).Apikey
		if made[key] {
			t.Errorf("two worlds have made the key %s", key)
		}
		made[key] = true
		mocktest.Call(t, s, "POST", "/core/v3/database/create/only_"+world, "", "Authorization", "SVC1 "+key).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/database/show/only_"+world, "", "X-Understudy-World", world).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/database/show/only_"+world, "").Want(404)
		mocktest.Call(t, s, "POST", "/core/v3/user/apikey/remove/1", `{"apikey":"`+key+`"}`, "Authorization", admin).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/database/list", "", "Authorization", "SVC1 "+key).Want(401)
	}
}

// Keys and passwords of the extras are in no journal.
func TestSecretsOfExtras(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
	const form = "application/x-www-form-urlencoded"
	mocktest.Call(t, s, "POST", "/core/v3/user/authenticate", "user=admin%40shop.example&password=password",
		"Content-Type",
		form).Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/user/add/nina", `{"email":"nina@shop.example","password":"hush-hush"}`).Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/user/password/change/nina?password=hush-again", "").Want(200)
	key := mocktest.Decode[struct{ Apikey string }](mocktest.Call(t, s, "POST", "/core/v3/user/apikey/add/nina", "").Want(200)).Apikey
	listed := mocktest.Call(t, s, "GET", "/core/v3/user/apikey/list/nina", "").Want(200).Body
	if !strings.Contains(listed, key) {
		t.Fatalf("%s lacks %s", listed, key)
	}
	mocktest.Call(t, s, "POST", "/core/v3/user/apikey/remove/nina", `{"apikey":"`+key+`"}`).Want(200)
	journal := mocktest.Call(t, s, "GET", "/_understudy/journal.ndjson", "").Body
	for _, secret := range []string{key, "hush-hush", "hush-again", `password=password`} {
		if strings.Contains(journal, secret) {
			t.Errorf("the journal has %q", secret)
		}
	}
}

// The control interface counts the operations of the platform, and no extras.
func TestExtrasAreNotCounted(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "GET", "/workflow/api/version/check?client=0.10.5", "").Want(200)
	got := mocktest.Decode[struct{ Covered, Documented int }](mocktest.Call(t, s, "GET", "/_understudy/coverage", "").Want(200))
	if want := len(specs.Catalogue()); got.Covered != 0 || got.Documented != want {
		t.Errorf("%d of %d operations are covered, want 0 of %d", got.Covered, got.Documented, want)
	}
}

// A document of the user's own has the extras beside it; what it documents of them itself is served as well.
func TestExtrasBesideAnOwnDocument(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own.yaml")
	document := `openapi: 3.0.3
info: {title: own, version: '1'}
servers: [{url: https://core.svc.example/v3}]
paths:
  /user/list:
    get:
      operationId: listUsers
      responses: {'200': {description: The users., content: {application/json: {schema: {type: object}}}}}
`
	if err := os.WriteFile(own, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	for on, status := range map[bool]int{true: 200, false: 404} {
		s := mocktest.NewServer(t, mockserver.WithSpec("core", own), mockserver.WithExtras(on))
		mocktest.Call(t, s, "GET", "/core/v3/user/list", "").Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/system/server_status", "").Want(status)
	}
}

// What the mock answers to extras, and what clients send them, is right by both engines of the contract suite, also as
// the widespread library writes it that calls all uploads a form.
func TestExtrasConform(t *testing.T) {
	t.Parallel()
	found := judge(t, "quickstart", func(t *testing.T, s http.Handler) {
		t.Helper()
		rows := string(manyRows(t, 2))
		core := func(method, path, body string, headers ...string) {
			t.Helper()
			mocktest.Call(t, s, method, "/core/v3"+path, body, headers...).Want(200)
		}
		mocktest.Call(t, s, "GET", "/workflow/api/version", "").Want(200)
		mocktest.Call(t, s, "GET", "/workflow/api/version/check?client=0.10.5", "", "Authorization", "").Want(200)
		core("GET", "/system/server_status", "", "Authorization", "")
		for _, media := range []string{
			"application/octet-stream", "application/x-www-form-urlencoded", "application/json",
			"image/png",
		} {
			core("PUT", "/table/import/shop/orders/msgpack.gz", rows, "Content-Type", media)
		}
		core("PUT", "/table/import_with_id/shop/orders/once/msgpack.gz", rows, "Content-Type", "application/octet-stream")
		for _, path := range []string{
			"/account/show", "/account/core_utilization", "/user/list", "/user/show/1",
			"/user/apikey/list/1",
		} {
			core("GET", path, "")
		}
		core("POST", "/user/authenticate", `{"user":"admin@shop.example","password":"password"}`, "Authorization", "")
		core("POST", "/user/add/nina", `{"organization":null,"email":"nina@shop.example","password":"a"}`)
		core("POST", "/user/password/change/nina", `{"password":"b"}`)
		core("POST", "/user/apikey/add/nina", "")
		core("POST", "/user/remove/nina", "")
		core("POST", "/bulk_import/create/january/shop/orders", "")
		core("PUT", "/bulk_import/upload_part/january/p", rows, "Content-Type", "application/octet-stream")
		for _, action := range []string{"freeze", "perform", "unfreeze"} {
			mocktest.Call(t, s, "POST", "/core/v3/bulk_import/"+action+"/january", "")
		}
		for _, path := range []string{"list", "show/january", "list_parts/january", "error_records/january"} {
			core("GET", "/bulk_import/"+path, "")
		}
		core("POST", "/bulk_loads", `{"name":"daily","database":"shop","table":"orders","config":{"in":{"type":"s3"}}}`)
		core("POST", "/bulk_loads/daily/jobs", `{"scheduled_time":"1768469400"}`)
		for _, path := range []string{"", "/daily", "/daily/jobs"} {
			core("GET", "/bulk_loads"+path, "")
		}
		core("POST", "/bulk_loads/guess", `{"config":{"in":{"type":"s3","path_prefix":"a.csv"}}}`)
		core("POST", "/bulk_loads/preview", `{"config":{"in":{"type":"s3","path_prefix":"a.csv"}}}`)
	})
	for _, finding := range found.Findings {
		t.Errorf("#%d %s: %s %s at %s (%s)", finding.Exchange, finding.Operation, finding.Verdict, finding.Message,
			finding.Pointer, finding.Rule)
	}
	if len(found.Coverage.Extras) < 25 || found.Coverage.Covered != 0 ||
		found.Coverage.Documented != len(specs.Catalogue()) {
		t.Errorf("%d extras are seen, %d of %d operations", len(found.Coverage.Extras), found.Coverage.Covered,
			found.Coverage.Documented)
	}
}
