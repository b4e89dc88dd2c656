package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gkampitakis/go-snaps/snaps"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/shape"
	"svc.example/understudy/specs/recording"
)

// MatchShape compares the shape of a response with the one in testdata/shapes beside the test, in a file of its own for
// each operation and status, such as workflow.listPools.200_1.snap.json. A shape that is not there is written, except
// in CI, where that fails. UPDATE=1, or UPDATE_SNAPS=true, writes shapes anew.
//
// The operation is found by the address of the response's request; WithBase tells other addresses than the default ones.
// The body can be read again afterwards.
func MatchShape(tb testing.TB, response *http.Response, opts ...Option) {
	tb.Helper()
	checker, err := NewChecker(opts...)
	if err != nil {
		tb.Fatalf("contract: %v", err)
	}
	if response.Request == nil || response.Request.URL == nil {
		tb.Fatal("contract: the response does not know its request")
	}
	body, err := readAgain(response)
	if err != nil {
		tb.Fatalf("contract: read the body: %v", err)
	}
	result := checker.owner(response)
	if result.Operation() == nil {
		tb.Fatalf("contract: %s %s belongs to no documented operation", response.Request.Method, response.Request.URL)
	}
	text, err := shapeOf(result, response, body)
	if err != nil {
		tb.Fatalf("contract: %s: %v", result.Operation().Name(), err)
	}
	name := fmt.Sprintf("%s.%d", result.Operation().Name(), response.StatusCode)
	if checker.config.label != "" {
		name += "." + strings.ReplaceAll(checker.config.label, " ", "-")
	}
	checker.matchSnapshot(tb, name, text)
}

// readAgain reads the body and puts it back.
func readAgain(response *http.Response) ([]byte, error) {
	if response.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// owner gives a response to its operation.
func (c *Checker) owner(response *http.Response) *judge.Result {
	request := response.Request
	e := &recording.Exchange{Request: recording.Request{
		Method: request.Method, URL: request.URL.String(), Headers: headersOf(request.Header),
	}}
	if e.Request.Method == "" {
		e.Request.Method = http.MethodGet
	}
	return c.judge.Own(capture.Item{Exchange: e})
}

func shapeOf(result *judge.Result, response *http.Response, body []byte) ([]byte, error) {
	kind := response.Header.Get("Content-Type")
	plain, isJSON, err := result.PlainJSON(response.StatusCode, response.Header, body)
	switch {
	case err != nil:
		return nil, err
	case len(body) == 0:
		return json.Marshal("no body")
	case !isJSON:
		kind, _, _ = strings.Cut(kind, ";")
		return json.Marshal(kind)
	}
	return json.Marshal(shape.Of(plain, result.Operation().JSONAnswer(response.StatusCode)))
}

// snapshots lets one snapshot be compared at a time, so that each file keeps the number 1 in its name.
var snapshots sync.Mutex

func (c *Checker) matchSnapshot(tb testing.TB, name string, text []byte) {
	tb.Helper()
	snapshots.Lock()
	defer snapshots.Unlock()
	dir := c.config.shapeDir
	if dir == "" {
		dir = "testdata/shapes"
	}
	config := []func(*snaps.Config){snaps.Dir(dir), snaps.Filename(name), snaps.Ext(".json")}
	if os.Getenv("UPDATE") == "1" {
		config = append(config, snaps.Update(true))
	}
	t := &eager{TB: tb}
	snaps.WithConfig(config...).MatchStandaloneJSON(t, text)
	for _, clean := range t.cleanups {
		clean()
	}
}

// eager runs clean-ups at once: the library counts the snapshots of a file until the test is over, and a second match of
// the same operation would go to another file.
type eager struct {
	testing.TB
	cleanups []func()
}

func (e *eager) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }
