package judge_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

const (
	vnd   = "application/vnd.api+json"
	plain = "application/json"
)

// spoken is an exchange with the LLM interface, or with another one whose name the path begins with. The bodies may be
// empty.
type spoken struct {
	line     string
	request  string
	status   int
	response string
	media    [2]string // of the bodies; empty: that of requests and of resources
}

func (s spoken) item() record.Item {
	method, path, _ := strings.Cut(s.line, " ")
	address := "https://llm.svc.example" + path
	if iface, rest, other := strings.Cut(strings.TrimPrefix(path, "/"), ":"); other {
		address = "https://" + iface + ".svc.example" + rest
	}
	e := &recording.Exchange{
		Request: recording.Request{
			Method: method, URL: address,
			Headers: recording.Headers{{"Authorization", "SVC1 1/key"}},
		},
		Response: &recording.Response{Status: s.status, Headers: recording.Headers{}},
	}
	media := s.media
	if media == [2]string{} {
		media = [2]string{plain, vnd}
	}
	if s.request != "" {
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", media[0]})
		e.Request.Body = &recording.Body{Bytes: []byte(s.request)}
	}
	if s.response != "" {
		e.Response.Headers = append(e.Response.Headers, [2]string{"Content-Type", media[1]})
		e.Response.Body = &recording.Body{Bytes: []byte(s.response)}
	}
	return record.Item{Exchange: e, Position: record.Position{File: "talk", Number: 1, Line: 1}}
}

// with puts other texts in the place of some, each of which must be there.
func with(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %s in %s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// newLLMJudge judges by the documents of the interfaces whose exchanges are held against them here, with both engines.
func newLLMJudge(t *testing.T) *judge.Judge {
	t.Helper()
	var documents []*specs.Document
	for _, name := range []string{specs.LLM, specs.DWH, specs.Core} {
		d, err := specs.Load(specs.Interface(name), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents, Engine: libopenapi.New()})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
