package judge_test

import (
	"bytes"
	"slices"
	"testing"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// judged are operations of all interfaces: with bodies and without, as JSON and as forms, short and long, pages and
// single resources.
var judged = []string{
	"audience.createActivation", "core.getDatabase", "core.issueJob", "core.listJobs", "dwh.listDwhIntegrations",
	"ingestion.ingestEvent", "llm.createAgent", "llm.listAgents", "workflow.createPool", "workflow.deletePool",
	"workflow.listPools",
}

// BenchmarkExchange judges exchanges by the first engine alone. No body is the same as one before: what is remembered
// of those helps little.
func BenchmarkExchange(b *testing.B) {
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			b.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents})
	if err != nil {
		b.Fatal(err)
	}
	items := firstOf(b, judged)
	for _, name := range judged {
		item := items[name]
		spaces := append(spaceBehind(item.Request.Body), spaceBehind(item.Response.Body)...)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				for _, space := range spaces {
					writeBits(space, n)
				}
				if r := j.Exchange(item); len(r.Findings) > 0 {
					b.Fatal(r.Findings)
				}
			}
		})
	}
}

// firstOf returns the first exchange of each operation in the corpus of valid exchanges.
func firstOf(tb testing.TB, names []string) map[string]record.Item {
	tb.Helper()
	items := map[string]record.Item{}
	for item, err := range capture.Files("../../mutation/testdata/valid.ndjson").Items() {
		if err != nil {
			tb.Fatal(err)
		}
		if _, isKnown := items[item.Operation]; !isKnown && slices.Contains(names, item.Operation) {
			items[item.Operation] = item
		}
	}
	return items
}

// spaceBehind adds white space to a JSON body, and returns it.
func spaceBehind(body *recording.Body) [][]byte {
	const bits = 24
	if body == nil || !bytes.HasPrefix(body.Bytes, []byte("{")) && !bytes.HasPrefix(body.Bytes, []byte("[")) {
		return nil
	}
	n := len(body.Bytes)
	body.Bytes = append(slices.Clip(body.Bytes), bytes.Repeat([]byte(" "), bits)...)
	return [][]byte{body.Bytes[n:]}
}

// writeBits writes a number as spaces and tabs.
func writeBits(space []byte, n int) {
	for i := range space {
		space[i] = " \t"[n>>i&1]
	}
}
