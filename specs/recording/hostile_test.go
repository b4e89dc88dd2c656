package recording_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/specs/recording"
)

// hostile are texts that are meant to take long, by what they are made of: n times the middle, and an end.
var hostile = map[string]func(n int) string{
	"deep lists":               func(n int) string { return deep(n, "[", `"a://u:p@h"`, "]") },
	"deep objects":             func(n int) string { return deep(n, `{"k":`, `"a://u:p@h"`, "}") },
	"deep, with a secret each": func(n int) string { return deep(n, `["a://u:p@h",`, "1", "]") },
	"a deep end with many secrets": func(n int) string {
		return deep(n/2, "[", strings.Repeat(`"a://u:p@h",`, n/2)+"1", "]")
	},
	"lists without an end":     func(n int) string { return strings.Repeat(`["key",`, n) },
	"addresses":                func(n int) string { return strings.Repeat("a://x:y@h ", n) },
	"addresses without an end": func(n int) string { return "@" + strings.Repeat("a://x:y/", n) },
	"parameters":               func(n int) string { return "a://" + strings.Repeat("?a=1&api_key=b&", n) },
	"many fields":              numberedFields,
	"members":                  func(n int) string { return strings.Repeat(`"key": "a\"`, n) },
	"parts":                    func(n int) string { return strings.Repeat("\nContent-Disposition: name=\"token\"\n", n) },
	"presented keys":           func(n int) string { return strings.Repeat("Bearer abcdefghijklmnopqrst ", n) },
	"platform keys":            func(n int) string { return strings.Repeat("7/0123456789012345678901234567890123456789 ", n) },
	"almost platform keys":     func(n int) string { return strings.Repeat("7/012345678901234567890123456789012345678x", n) },
}

func deep(n int, begin, middle, end string) string {
	return strings.Repeat(begin, n) + middle + strings.Repeat(end, n)
}

func numberedFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d_token=1&", i)
	}
	return b.String()
}

// redactHostile redacts a request with a text for its body, and returns how long that took.
func redactHostile(text, kind string) (*recording.Exchange, time.Duration) {
	redactor := &recording.Redactor{Salt: []byte("salt")}
	e := &recording.Exchange{Request: recording.Request{
		URL: "http://h/", Headers: recording.Headers{{"Content-Type", kind}}, Body: &recording.Body{Bytes: []byte(text)},
	}}
	begin := time.Now() //nolint:forbidigo // how long it takes is what the test is about
	clean := redactor.Redact(e, nil)
	return clean, time.Since(begin) //nolint:forbidigo // likewise
}

// TestRedactionIsLinear holds the fastest of some runs against that of a text eight times as long. Of a quadratic one it
// takes 64 times as long.
func TestRedactionIsLinear(t *testing.T) { //nolint:paralleltest // it measures time
	const n, times, most = 1100, 8, 32
	for name, text := range hostile {
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded"} {
			fastest := func(n int) time.Duration {
				least := time.Hour
				for range 4 {
					_, took := redactHostile(text(n), kind)
					least = min(least, took)
				}
				return max(least, 100*time.Microsecond)
			}
			short, long := fastest(n), fastest(times*n)
			if long > most*short {
				t.Errorf("%s as %s: %s for %d, %s for %d", name, kind, short, n, long, times*n)
			}
		}
	}
}

// TestRedactedNamesAreBounded counts bytes: the names of the places are not longer together than a part of the text.
func TestRedactedNamesAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		clean, _ := redactHostile(text(4000), "application/json")
		line, err := json.Marshal(clean.Redacted)
		if err != nil || len(line) > 64*len(text(4000)) {
			t.Errorf("%s: %d bytes of names for %d of text (%v)", name, len(line), len(text(4000)), err)
		}
	}
}

// TestJSONInTexts goes as deep as it is looked into, and beyond, where nothing of the text is left.
func TestJSONInTexts(t *testing.T) {
	t.Parallel()
	text := `{"password":"geheim"}`
	for depth := range 12 {
		clean, _ := redactHostile(text, "application/json")
		body := string(clean.Request.Body.Bytes)
		if strings.Contains(body, "geheim") || !strings.Contains(body, recording.Mark) || !json.Valid(clean.Request.Body.Bytes) {
			t.Errorf("%d texts deep: %s", depth, body)
		}
		quoted, err := json.Marshal([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		text = string(quoted)
	}
}

func BenchmarkRedactHostile(b *testing.B) {
	for name, text := range hostile {
		b.Run(name, func(b *testing.B) {
			body := text(1000)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				redactHostile(body, "text/plain")
			}
		})
	}
}
