package recording_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

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
	"platform keys": func(n int) string {
		return strings.Repeat("7/0123456789012345678901234567890123456789 ",
			n)
	},
	"assignments":            func(n int) string { return strings.Repeat("password=a ", n) },
	"names without values":   func(n int) string { return strings.Repeat("password:\n", n) },
	"names in one line":      func(n int) string { return strings.Repeat("x password : ", n) },
	"quotes without an end":  func(n int) string { return strings.Repeat(`password='a `, n) },
	"escaped quotes":         func(n int) string { return `password="` + strings.Repeat(`\"`, n) },
	"objects without an end": func(n int) string { return strings.Repeat(`"token": {"a": [`, n) },
	"almost objects":         func(n int) string { return strings.Repeat(`x token {[ = {`, n) },
	"blocks":                 func(n int) string { return strings.Repeat("token:\n  a: b\n", n) },
	"tags":                   func(n int) string { return "key" + strings.Repeat("<a", n) },
	"tags without an end":    func(n int) string { return "key" + strings.Repeat("<key>", n) },
	"elements":               func(n int) string { return strings.Repeat("<token>a", n) },
	"attributes":             func(n int) string { return "<a " + strings.Repeat(`name="token" `, n) + ">" },
	"pairs of elements":      func(n int) string { return strings.Repeat("<key>token</key><a>", n) },
	"a table":                func(n int) string { return "a,token\n" + strings.Repeat("1,\"b\n", n) },
	"a row":                  func(n int) string { return "a,token\n" + strings.Repeat("1,", n) },
	"statements":             func(n int) string { return strings.Repeat("insert into t (token) values (('a", n) },
	"flags":                  func(n int) string { return "key" + strings.Repeat("--", n) },
	"blanks": func(n int) string {
		return "token" + strings.Repeat(" ", n) + "=" +
			strings.Repeat(" =", n)
	},
	"percents":             func(n int) string { return "token" + strings.Repeat("%3D%22", n) },
	"percents of percents": func(n int) string { return "token%22" + strings.Repeat("%25", n) + "22" },
	"pairs": func(n int) string {
		return "[" + strings.Repeat(`{"value":"a","name":"token"},`, n) +
			"1]"
	},
	"pairs in pairs":       func(n int) string { return deep(n, `{"value":`, `"a"`, `,"name":"token"}`) },
	"pairs of lists":       func(n int) string { return deep(n, `[["token",`, `"a"`, `]]`) },
	"zeros":                func(n int) string { return strings.Repeat("t\x00o\x00k\x00e\x00n\x00", n) },
	"almost platform keys": func(n int) string { return strings.Repeat("7/012345678901234567890123456789012345678x", n) },
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

// redactHostile redacts a request with a text for its body.
func redactHostile(text, kind string) *recording.Exchange {
	redactor := &recording.Redactor{Salt: []byte("salt")}
	return redactor.Redact(&recording.Exchange{Request: recording.Request{
		URL: "http://h/", Headers: recording.Headers{{"Content-Type", kind}}, Body: &recording.Body{Bytes: []byte(text)},
	}}, nil)
}

// TestRedactionIsLinear counts bytes that are allocated: for a text eight times as long, a quadratic redaction takes 64
// times as many. BenchmarkRedactHostile measures time.
func TestRedactionIsLinear(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const n, times, most = 1100, 8, 16
	allocated := func(text, kind string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		redactHostile(text, kind)
		runtime.ReadMemStats(&after)
		return max(after.TotalAlloc-before.TotalAlloc, 64<<10)
	}
	for name, text := range hostile {
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded"} {
			short, long := allocated(text(n), kind), allocated(text(times*n), kind)
			if long > most*short {
				t.Errorf("%s as %s: %d bytes for %d, %d bytes for %d", name, kind, short, n, long, times*n)
			}
		}
	}
}

// TestRedactedNamesAreBounded counts bytes: the names of the places are not longer together than a part of the text.
func TestRedactedNamesAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		clean := redactHostile(text(4000), "application/json")
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
		clean := redactHostile(text, "application/json")
		body := string(clean.Request.Body.Bytes)
		if strings.Contains(body, "geheim") || !strings.Contains(body, recording.Mark) ||
			!json.Valid(clean.Request.Body.Bytes) {
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
