package capture_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
)

// restOfLines are lines without their first member, seq: with it at the beginning they are read in one pass, if they
// can be, and with it at the end they are decoded.
var restOfLines = []string{
	`"start":"2026-05-04T01:20:05.5Z","end":"2026-05-04T01:20:06Z","overlaps":2,"world":"w","epoch":3,"operation":"o",` +
		`"request":{"method":"GET","url":"http://h/a","headers":[["A","1"],["B","é\u00e9\n"]],"body":{"text":"{\"a\":\"\\\"\"}"}},` +
		`"response":{"status":200,"headers":[],"body":{"text":"","truncated":true,"size":18,"sha256":"` + someDigest +
		`"}},"redacted":["A","B"],"notes":[],"fault":"f; answer=own"`,
	` "request" : { "method" : "GET" , "url" : "u" , "headers" : [ [ "A" , "1" ] ] } , "redacted" : [ "A" ] `,
	`"request":{"method":"GET","url":"u","headers":[["A","1"],]}`,
	`"request":{"method":"GET","url":"u","headers":[["A","1","2"]]}`,
	`"request":{"method":"GET","url":"u","headers":[["A"]]}`,
	`"request":{"method":"GET","url":"u","body":{}},"response":{"status":0}`,
	`"request":{"method":"GET","url":"u","body":{"base64":"eA=="}},"response":null`,
	`"request":{"method":"GET","url":"u","body":{"text":"\ud83d\ude00 \/\b\f\r\t"}}`,
	`"request":{"method":"GET","url":"u","body":{"text":"\ud83d"}}`,
	`"request":{"method":"GET","url":"u","body":{"text":"\x"}}`,
	"\"request\":{\"method\":\"GET\",\"url\":\"u\",\"body\":{\"text\":\"\t\"}}",
	"\"request\":{\"method\":\"GET\",\"url\":\"u\",\"body\":{\"text\":\"\xff\"}}",
	`"request":{"method":"GET","url":"u"},"request":{"method":"GET","url":"u"}`,
	`"request":{"method":"GET","method":"GET","url":"u"}`,
	`"request":{"method":"GET","url":"u"},"response":{"status":1000}`,
	`"request":{"method":"GET","url":"u"},"response":{"status":0200}`,
	`"request":{"method":"GET","url":"u"},"response":{"status":2e2}`,
	`"request":{"method":"GET","url":"u"},"response":{"status":200.0}`,
	`"overlaps":123456789012345678901234567890,"request":{"method":"GET","url":"u"}`,
	`"start":"2026-05-04T01:20:05+09:00","request":{"method":"GET","url":"u"}`,
	`"start":"2026-05-04T1:20:05Z","request":{"method":"GET","url":"u"}`,
	`"start":"2026-05-04T01:20:05,5Z","request":{"method":"GET","url":"u"}`,
	`"request":{"method":"","url":"u"}`,
	`"request":{"method":"GET","url":"u"},"fault":"fault 1"`,
	`"other":1,"request":{"method":"GET","url":"u"}`,
}

const someDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) {
	t.Parallel()
	accepted := 0
	for _, rest := range restOfLines {
		accepted += compareOrders(t, rest)
	}
	if accepted < 5 || accepted > len(restOfLines)-5 {
		t.Errorf("%d of %d lines are accepted", accepted, len(restOfLines))
	}
}

// compareOrders reads a line with its first member there, and at its end. It returns 1 if both are accepted.
func compareOrders(t *testing.T, rest string) int {
	t.Helper()
	in, inProblems := read(first + "\n" + `{"seq":7,` + rest + "}\n")
	out, outProblems := read(first + "\n" + `{` + rest + `,"seq":7}` + "\n")
	if (len(inProblems) > 0) != (len(outProblems) > 0) {
		t.Errorf("%s\nwith its members in order: %q, out of order: %q", rest, inProblems, outProblems)
	}
	isPlace := func(p cmp.Path) bool { return p.Last().String() == ".Offset" }
	if diff := cmp.Diff(out, in, cmp.FilterPath(isPlace, cmp.Ignore()), cmp.AllowUnexported(record.Item{})); diff != "" {
		t.Errorf("%s\nmembers in order (-want +got):\n%s", rest, diff)
	}
	return min(len(in), len(out)) - 1
}

// FuzzLines reads lines with their members in order, and out of order.
func FuzzLines(f *testing.F) {
	for _, rest := range restOfLines {
		f.Add([]byte(rest))
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		if bytes.ContainsAny(rest, "\n") {
			t.Skip()
		}
		compareOrders(t, string(rest))
	})
}
