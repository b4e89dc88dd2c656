package own_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

// What is learned of a recording of an interface of the user's own loads, and begins as the recorded one did.
func TestLearnOwnInterface(t *testing.T) {
	t.Parallel()
	const document = "../../testdata/own/shop.yaml"
	var recording bytes.Buffer
	c := newOwnShop(t, mockserver.WithScenario(shopFixture(t)), mockserver.WithRecording(&recording))
	c.story(`
		GET /products/71/reviews/0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11 -> 200 {"id":"0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11",…
		GET /products -> 200 {…
		GET /users/007 -> 200 {…
		GET /users/ann/settings -> 200 {"newsletter":true}
		PATCH /users/ann/settings {"newsletter":false} -> 200 {"newsletter":false}
		GET /orders/ord_1 -> 200 {…
		POST /orders/ord_1/cancel -> 200 {…
		POST /products {"name":"tulip","price":1} -> 201 {"id":72,…
		GET /products/72 -> 200 {…
		GET /products/99 -> 404 {…
		DELETE /products/71 -> 204
		GET /products/71 -> 404 {…
		GET /tax-rates -> 200 {…
	`)
	checker, err := contract.NewChecker(contract.WithSpec("shop", document), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	learned, err := checker.Learn(t.Context(), contract.Read("recording", &recording), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(learned.Notes) > 0 {
		t.Errorf("notes: %q", learned.Notes)
	}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, learned.Scenario, 0o600); err != nil {
		t.Fatal(err)
	}
	again := newOwnShop(t, mockserver.WithScenario(file))
	again.story(`
		GET /products/71 -> 200 {"id":71,"name":"rose","price":2.50,"stock":3,"created_at":"2025-12-01T00:00:00Z"}
		GET /products/72 -> 404 …
		GET /products/71/reviews/0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11 -> 200 {"id":"0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11","productId":71,"stars":5}
		GET /orders/ord_1 -> 200 {"order":{"id":"ord_1","productId":71,"quantity":2,"status":"placed"}}
		GET /users/007 -> 200 {"userName":"007","email":"bond@shop.example"}
		GET /users/ann/settings -> 200 {"newsletter":true}
	`)
	if t.Failed() {
		t.Log(string(learned.Scenario))
	}
}

// Whatever a service answers, what is learned of it loads: objects that do not fit the document, parts without their
// whole, and names that the document lacks.
func TestLearnOwnInterfaceOfWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	const document = "../../testdata/own/shop.yaml"
	lines := []string{
		`GET /v1/products/1 200 {"id":1,"name":"rose","price":1,"colour":"red","stock":"many"}`,
		`GET /v1/products 200 {"items":[{"id":2,"name":"lily"},{"id":3,"name":"","price":-1},{"id":null}],"total":3}`,
		`GET /v1/products/8/reviews 200 [{"id":"0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11","productId":8,"stars":9}]`,
		`GET /v1/products/9/reviews/0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a12 200 {"id":"0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a12","stars":1}`,
		`GET /v1/users/a%2Fb 200 {"userName":"a/b","email":"a@shop.example"}`,
		`GET /v1/users/ann 200 []`,
		`GET /v1/users/ann/settings 200 {"language":"fr"}`,
		`GET /v1/orders/o 200 {"order":null}`,
		`GET /v1/orders/p 200 broken`,
		`DELETE /v1/products/77 204 `,
		`GET /v1/products/78 500 {}`,
	}
	var recording bytes.Buffer
	for i, line := range lines {
		fields := strings.SplitN(line, " ", 4)
		fmt.Fprintf(&recording, `{"seq":%d,"start":"2026-01-15T09:30:00Z","end":"2026-01-15T09:30:00Z","request":{"method":%q,`+
			`"url":%q,"headers":[["Authorization","Bearer any"]]},"response":{"status":%s,"headers":[["Content-Type",`+
			`"application/json"]],"body":{"text":%q}}}`+"\n", i+1, fields[0], "https://api.shop.example"+fields[1], fields[2], fields[3])
	}
	checker, err := contract.NewChecker(contract.WithSpec("shop", document), contract.WithInterfaces("shop"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "r.ndjson")
	if err := os.WriteFile(source, recording.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	learned, err := checker.Learn(t.Context(), contract.Files(source), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, learned.Scenario, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mockserver.CheckScenario(mockserver.WithScenario(file), mockserver.WithSpec("shop", document)); err != nil {
		t.Errorf("%v\n%s", err, learned.Scenario)
	}
	for _, want := range []string{"id: 1", "id: 2", "id: 77", "stars: 1"} {
		if !strings.Contains(string(learned.Scenario), want) {
			t.Errorf("%s is not learned:\n%s", want, learned.Scenario)
		}
	}
}

// What is learned of a walk over each document of a user's own answers as was recorded, but for as many answers as a
// table says, and its story plays.
func TestLearnOwnDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/own/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	var mu sync.Mutex
	rows := map[string]string{}
	t.Cleanup(func() {
		got := "document\tanswers\tagree\n" + strings.Join(slices.Sorted(maps.Values(rows)), "")
		goldenTable(t, "testdata/learned.tsv", got)
	})
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newOwnWalk(t, file)
			w.walk()
			learned, agree := w.learn(w.recording.Bytes())
			mu.Lock()
			defer mu.Unlock()
			rows[file] = fmt.Sprintf("%s\t%d\t%d\n", filepath.Base(file), learned, agree)
		})
	}
}

// learn learns of a recording. It plays the story, and returns how many answers there are, and how many agree with a
// mock of the scenario.
func (w *ownWalk) learn(recorded []byte) (answers, agree int) {
	w.t.Helper()
	spec := mockserver.WithSpec("shop", w.doc.File)
	checker := checktest.New(w.t, contract.WithSpec("shop", w.doc.File), contract.WithInterfaces("shop"))
	learned, err := checker.Learn(w.t.Context(), contract.Read("walk.ndjson", bytes.NewReader(recorded)),
		checktest.Build(w.t, spec))
	if err != nil {
		w.t.Fatal(err)
	}
	with, err := checktest.Build(w.t, spec)(learned)
	if err != nil {
		w.t.Fatal(err)
	}
	with.Keys = checktest.RecordedKeys(learned)
	r, err := checker.Compare(w.t.Context(), contract.Read("walk.ndjson", bytes.NewReader(recorded)), with)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, seed := range []string{"seed: 1\n", "seed: 77\n"} {
		learned.Scenario = bytes.Replace(learned.Scenario, []byte("seed: 1\n"), []byte(seed), 1)
		again, err := checktest.Build(w.t, spec)(learned)
		if err != nil {
			w.t.Fatal(err)
		}
		played, err := story.Play{File: "story.txtar", Text: learned.Story, Server: story.Server{
			Handler: again.Handler, Specs: &specs.Set{Files: map[specs.Interface]string{"shop": w.doc.File}},
		}}.Run(w.t.Context())
		if err != nil || !played.Passed {
			w.t.Errorf("%s: %v, %+v\n%s", seed, err, played.Difference, learned.Story)
		}
	}
	return r.Comparison.Compared, r.Comparison.Agree
}
