package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// ordinary returns an exchange as clients have most: a key in a header, a query, and an answer that lists so many
// things.
func ordinary(things int) *recording.Exchange {
	var list strings.Builder
	for i := range things {
		fmt.Fprintf(&list, `,{"id":"%d","name":"nightly_%[1]d","url":"https://shop.example/pools/%[1]d","updated":`+
			`"2026-01-01T00:00:00Z","tags":["a","b"],"note":"runs at 07:30, all = fine","count":%[1]d}`, i)
	}
	return &recording.Exchange{
		Request: recording.Request{
			Method: "POST", URL: "https://h.example/api/pools?page=2&name=nightly&at=2026-01-01T00%3A00%3A00Z",
			Headers: recording.Headers{
				{"Accept", "*/*"},
				{"Authorization", "SVC1 1/0123456789abcdef"},
				{"Content-Type", "application/json"},
				{"User-Agent", "client/1.0 (linux; amd64)"},
				{"Referer", "https://shop.example/start"},
			},
			Body: &recording.Body{Bytes: []byte(`{"name":"nightly","description":"what runs at night","account_id":7}`)},
		},
		Response: &recording.Response{
			Status: 200,
			Headers: recording.Headers{
				{"Content-Type", "application/json"}, {"Date", "Thu, 01 Jan 2026 00:00:00 GMT"}, {"X-Request-Id", "b0a1"},
			},
			Body: &recording.Body{Bytes: []byte(`{"pools":[` + list.String()[1:] + `]}`)},
		},
	}
}

func BenchmarkRedactOrdinary(b *testing.B) {
	document, err := specs.Load(specs.Workflow, "")
	if err != nil {
		b.Fatal(err)
	}
	for _, things := range []int{1, 20, 1000} {
		b.Run(fmt.Sprint(things), func(b *testing.B) {
			e := ordinary(things)
			redactor := &recording.Redactor{Salt: []byte("salt")}
			b.SetBytes(int64(len(e.Response.Body.Bytes)))
			b.ReportAllocs()
			for b.Loop() {
				redactor.Redact(e, document.Operation("createPool"))
			}
		})
	}
}

func BenchmarkRedactBomb(b *testing.B) {
	text := `["key",` + strings.Repeat("{},", 1<<20) + "{}]"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		redactHostile(text, "application/json")
	}
}
