package contract_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// What the rules may take for each exchange of a history, and on top of that: bytes that are allocated, as steps.
const (
	rulePerEvent = 32 << 10
	ruleAtLeast  = 1 << 20
)

// FuzzRuleBudget shows histories to the rules: six bytes draw what is asked about which thing, by whom, when, for how
// long and how it is answered; bodies show what the text has.
func FuzzRuleBudget(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x01\x05\x02\x01\x01\x00\x01\x05\x02\x02\x01\x02\x01\x09\x30"),
		`{"id":"1","poolId":"1","name":"a","done":true}`)
	f.Add(bytes.Repeat([]byte{3, 1, 0, 2, 0, 255}, 40),
		`{"pools":[{"id":"1"},{"id":2}],"poolRules":[{"poolId":"1","conditions":[{"values":[]}]}]}`)
	f.Add(bytes.Repeat([]byte{11, 0, 1, 0, 7, 3, 12, 1, 0, 1, 0, 1}, 20),
		`{"id":7,"job_id":"1","status":"running","output_config":{"database":"a"}}`)
	f.Add(bytes.Repeat([]byte("abcdefghijkl"), 30),
		`{"data":{"id":"1","type":"agents","relationships":{"a":{"data":[{"type":"b","id":"1"}]}}}}`)
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			f.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, script []byte, body string) {
		const most = 100 // exchanges
		script, body = script[:min(len(script), 6*most)], body[:min(len(body), 4096)]
		var events []*facts.Exchange
		for draw := range slices.Chunk(script, 6) {
			if len(draw) < 6 {
				break
			}
			r := j.Exchange(scripted(documents, draw, body, len(events)+1))
			if e := facts.New(&facts.Exchange{}, r); e != nil {
				events = append(events, e)
			}
		}
		verdicts := 0
		made := allocatedBy(func() {
			w := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents, Trust: specs.Assumed},
				func(v history.Result) {
					verdicts++
					if v.Finding != nil && (len(v.Finding.Evidence) > 2*len(events) || len(v.Finding.Message) > 10_000) {
						t.Errorf("a finding with %d exchanges and %d bytes", len(v.Finding.Evidence), len(v.Finding.Message))
					}
				})
			for _, e := range events {
				w.See(e)
			}
			if err := w.End(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if made > uint64(raceFactor*(rulePerEvent*len(events)+ruleAtLeast)) || verdicts > 40*len(events) {
			t.Errorf("%d KiB and %d verdicts for %d exchanges", made>>10, verdicts, len(events))
		}
	})
}

// scripted returns an exchange that six bytes draw.
func scripted(documents []*specs.Document, draw []byte, body string, number int) record.Item {
	at := time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC).Add(time.Duration(draw[4]) * time.Second)
	var operations []*specs.Operation
	for _, d := range documents {
		operations = append(operations, d.Operations...)
	}
	op := operations[(int(draw[0])<<2|int(draw[1])>>6)%len(operations)]
	var segments []string
	for segment := range strings.SplitSeq(op.Document.BasePath+op.Path, "/") {
		if strings.HasPrefix(segment, "{") {
			segment = fmt.Sprint(draw[1] % 8)
		}
		segments = append(segments, segment)
	}
	headers := recording.Headers{
		{"Content-Type", "application/json"},
		{"Authorization", fmt.Sprintf("SVC1 1/%d", draw[3]%5)},
	}
	e := &recording.Exchange{
		Seq: int64(number), Start: at, End: at.Add(time.Duration(draw[5]) * time.Second),
		Request: recording.Request{
			Method: op.Method, URL: "https://" + string(op.Interface) + ".svc.example" + strings.Join(segments, "/"),
			Headers: headers,
			Body:    &recording.Body{Bytes: []byte(body)},
		},
	}
	statuses := []int{200, 201, 204, 202, 400, 401, 403, 404, 409, 500, 0}
	if status := statuses[int(draw[2])%len(statuses)]; status > 0 {
		e.Response = &recording.Response{Status: status, Headers: headers[:1], Body: &recording.Body{Bytes: []byte(body)}}
	}
	return record.Item{Exchange: e, Position: record.Position{File: "fuzz", Number: number, Line: number}}
}
