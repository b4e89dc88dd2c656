package snippet_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http/httpguts"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

func TestCurl(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		request recording.Request
		want    string
	}{
		"a GET is the address": {
			recording.Request{Method: "GET", URL: "https://core.svc.example/v3/job/list"},
			"curl -sS -i --globoff --path-as-is --url 'https://core.svc.example/v3/job/list'",
		},
		"a key is a variable, the same one for the same key": {
			recording.Request{
				Method: "DELETE", URL: "https://x/?token=%5Bredacted%3A0badcafe%5D",
				Headers: recording.Headers{{"Authorization", "SVC1 [redacted:1a2b3c4d]"}, {"Content-Length", "3"}, {":path", "/"}},
			},
			"curl -sS -i --globoff --path-as-is -X 'DELETE' --url 'https://x/?token='\"$KEY\" \\\n  -H 'Authorization: SVC1 " +
				"'\"$KEY2\"",
		},
		"a body with quotes stays what it is": {
			recording.Request{Method: "POST", URL: "https://x/", Body: &recording.Body{Bytes: []byte(`{"a":"it's"}`)}},
			"curl -sS -i --globoff --path-as-is -X 'POST' --url 'https://x/' \\\n  -H 'Content-Type:' \\\n  --data-raw " +
				"'{\"a\":\"it'\\''s\"}'",
		},
		"letters of all alphabets stay readable, and what a terminal would obey does not": {
			recording.Request{Method: "PUT", URL: "https://x/", Body: &recording.Body{Bytes: []byte("\tpä日\t")}},
			"curl -sS -i --globoff --path-as-is -X 'PUT' --url 'https://x/' \\\n  -H 'Content-Type:' \\\n  --data-raw " +
				`"$(printf '\011')"'pä日'"$(printf '\011')"`,
		},
		"brackets are no ranges": {
			recording.Request{Method: "GET", URL: "https://x/?page[limit]=2"},
			"curl -sS -i --globoff --path-as-is --url 'https://x/?page[limit]=2'",
		},
		"bytes that are no text go through a pipe": {
			recording.Request{Method: "PUT", URL: "https://x/", Body: &recording.Body{Bytes: []byte{0x1f, 0x8b, 0}}},
			"base64 -d <<'END' |\nH4sA\nEND\ncurl -sS -i --globoff --path-as-is -X 'PUT' --url 'https://x/' \\\n  -H " +
				"'Content-Type:' \\\n  --data-binary @-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := snippet.Curl(&recording.Exchange{Request: tt.request})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzCurl lets a shell read the command, with curl replaced by what prints its arguments: whatever a recording holds,
// it is one command, and its arguments are the request.
func FuzzCurl(f *testing.F) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("there is no sh on this machine")
	}
	f.Add("GET", "https://x/a?b=$(id)`id`;id", "it's $HOME \\ \"quoted\"\n#", "X-A")
	f.Add("-X", "'; echo owned; '", "[redacted:1a2b3c4d]' [redacted:zz]", "A: b")
	for _, body := range hostile() {
		f.Add("POST", "!!", body, "'")
	}
	f.Fuzz(func(t *testing.T, method, url, body, header string) {
		if strings.ContainsRune(method+url+body+header, 0) || strings.Contains(method+url+header, "[redacted") ||
			len(method)+len(url)+len(body)+len(header) > 64<<10 {
			t.Skip("no argument of a command can hold this")
		}
		e := &recording.Exchange{Request: recording.Request{
			Method: method, URL: url, Headers: recording.Headers{{"X-" + header, "v" + body}},
			Body: &recording.Body{Bytes: []byte(body)},
		}}
		command, _ := snippet.Curl(e)
		script := "KEY='[redacted:1a2b3c4d]'\ncurl() { for a; do printf '%s\\0' \"$a\"; done; }\n" + command
		out, err := exec.CommandContext(t.Context(), shell, "-c", script).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, script)
		}
		arguments := strings.Split(string(out), "\x00")
		has := func(option, value string) bool {
			for i := range arguments[:len(arguments)-1] {
				if arguments[i] == option && arguments[i+1] == value {
					return true
				}
			}
			return false
		}
		isHeader := httpguts.ValidHeaderFieldName("X-"+header) && httpguts.ValidHeaderFieldValue("v"+body)
		if !has("--url", url) || isHeader && !strings.Contains(body, "[redacted") && !has("-H", "X-"+header+": v"+body) {
			t.Errorf("arguments %q of %s", arguments, script)
		}
	})
}
