package snippet_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// hostile returns bodies that could end the literal in which they stand, or that a shell or a page could change.
func hostile() []string {
	return []string{
		`{"a":"it's","b":"\"quoted\""}`,
		"line\nline\n\n",
		"\nfirst line is empty",
		"nul\x00nul",
		"$(touch owned) `touch owned` $HOME ${HOME} \\ !! !$ #",
		"\xff\xfe not \xe9 UTF-8 \x80",
		"@/etc/passwd",
		"-o owned",
		"--",
		"tab\there, \r\ncarriage return\r",
		"\x1b[31mred\x1b[0m \u202etxet\u202c \u0085 \ufeff",
		"END\nEND\n",
		"'''\"\"\"`\\n\\x41 %s %% {} {{.}} </pre><script>alert(1)</script>",
		"-- want.json --\n{}\n-- answer.json --\n",
		"日本語\u3000テキスト 👩‍👩‍👧",
		" leading and trailing ",
		"'",
		"\\",
		strings.Repeat("x", 200<<10),
	}
}

// server serves one request, and shows it as it has arrived.
func server(t *testing.T) (base string, arrived func() *recording.Exchange) {
	t.Helper()
	var got []*recording.Exchange
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		e := &recording.Exchange{Request: recording.Request{Method: r.Method, URL: "http://" + r.Host + r.RequestURI}}
		for name, values := range r.Header {
			for _, value := range values {
				e.Request.Headers = append(e.Request.Headers, [2]string{name, value})
			}
		}
		e.Request.Body = &recording.Body{Bytes: body}
		got = append(got, e)
		_, _ = w.Write([]byte("arrived"))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() *recording.Exchange {
		s.Close()
		if len(got) != 1 {
			t.Fatalf("%d requests have arrived, want 1", len(got))
		}
		return got[0]
	}
}

// run runs a program with a script, in a folder of its own that must stay as it is.
func run(t *testing.T, program, script string, env ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not on this machine", program)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, file)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s\n%.2000s", err, errs.String(), script)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the script has written files: %v, %v", entries, err)
	}
	return out.String()
}

// sameRequest compares a request that has arrived with the recorded one. Clients add headers.
func sameRequest(t *testing.T, want, got *recording.Exchange) {
	t.Helper()
	if want.Request.Method != got.Request.Method || want.Request.URL != got.Request.URL {
		t.Errorf("%s %s has arrived, want %s %s", got.Request.Method, got.Request.URL, want.Request.Method, want.Request.URL)
	}
	for _, h := range want.Request.Headers {
		same := func(other [2]string) bool { return strings.EqualFold(h[0], other[0]) && h[1] == other[1] }
		if !slices.ContainsFunc(got.Request.Headers, same) {
			t.Errorf("the header %q has not arrived: %q", h, got.Request.Headers)
		}
	}
	if diff := cmp.Diff(string(want.Request.Body.Bytes), string(got.Request.Body.Bytes)); diff != "" {
		t.Errorf("body (-want +got):\n%.1000s", diff)
	}
}

// The programs that a snippet can be for, as the tests run them.
func runCurl(t *testing.T, e *recording.Exchange, opts ...snippet.Option) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not on this machine")
	}
	command, keys := snippet.Curl(e, opts...)
	if out := run(t, "bash", command, values(keys)...); !strings.HasSuffix(out, "arrived") {
		t.Errorf("curl prints %q", out)
	}
}

func runPython(t *testing.T, e *recording.Exchange, opts ...snippet.Option) {
	t.Helper()
	script, err := snippet.Python(e, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if out := run(t, "python3", script, values([]string{"KEY", "KEY2"})...); out != "200 OK\narrived" {
		t.Errorf("the script prints %q", out)
	}
}

// values sets variables to secrets.
func values(keys []string) (env []string) {
	for _, key := range keys {
		env = append(env, key+"=secret of "+key)
	}
	return env
}

func programs() map[string]func(*testing.T, *recording.Exchange, ...snippet.Option) {
	return map[string]func(*testing.T, *recording.Exchange, ...snippet.Option){"curl": runCurl, "python3": runPython}
}

// The request that arrives is the recorded one.
func TestRequestsArriveAsRecorded(t *testing.T) {
	t.Parallel()
	for name, runProgram := range programs() {
		for _, body := range hostile() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				base, arrived := server(t)
				e := &recording.Exchange{Request: recording.Request{
					Method: "PATCH", URL: base + "/core/v3/a%2Fb/../x?q=a+b%20c&page[limit]=$(id)&quote='&e=",
					Headers: recording.Headers{
						{"Host", "elsewhere.example"},
						{"X-Quote", `it's "$HOME" \ !! ` + "`id`"},
						{"X-Latin", "caf\xe9"},
						{"X-Twice", "1"},
						{"X-Twice", "2"},
						{"X-Empty", ""},
						{"Content-Type", "application/x-hostile; charset=none"},
						{"Content-Length", "3"},
						{"Bad Name", "a\r\nX-Injected: 1"},
					},
					Body: &recording.Body{Bytes: []byte(body)},
				}}
				runProgram(t, e)
				e.Request.Headers = e.Request.Headers[1:7]
				sameRequest(t, e, arrived())
			})
		}
	}
}

func TestRequestsWithoutABodyArriveAsRecorded(t *testing.T) {
	t.Parallel()
	for name, runProgram := range programs() {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "PROPFIND"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				base, arrived := server(t)
				e := &recording.Exchange{Request: recording.Request{Method: method, URL: base + "/"}}
				runProgram(t, e)
				e.Request.Body = &recording.Body{}
				sameRequest(t, e, arrived())
			})
		}
	}
}

func TestSecretsAreVariables(t *testing.T) {
	t.Parallel()
	for name, runProgram := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, arrived := server(t)
			runProgram(t, &recording.Exchange{Request: recording.Request{
				Method: "POST", URL: "https://core.svc.example/v3/x", Headers: recording.Headers{
					{"Authorization", "SVC1 [redacted:1a2b3c4d]"},
				},
				Body: &recording.Body{Bytes: []byte(`{"a":"[redacted:0badcafe]","b":"[redacted:1a2b3c4d]"}`)},
			}}, snippet.WithAddress(base+"/"))
			sameRequest(t, &recording.Exchange{Request: recording.Request{
				Method: "POST", URL: base + "/v3/x", Headers: recording.Headers{{"Authorization", "SVC1 secret of KEY"}},
				Body: &recording.Body{Bytes: []byte(`{"a":"secret of KEY2","b":"secret of KEY"}`)},
			}}, arrived())
		})
	}
}

func TestLongBodiesStandInAFile(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x'\x00"), 1000)
	file := filepath.Join(t.TempDir(), "it's a body.bin")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, runProgram := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, arrived := server(t)
			e := &recording.Exchange{Request: recording.Request{
				Method: "PUT", URL: base + "/x", Body: &recording.Body{Bytes: body, Truncated: true},
			}}
			runProgram(t, e, snippet.WithBodyFile(file, 2999))
			sameRequest(t, e, arrived())
			command, _ := snippet.Curl(e, snippet.WithBodyFile("body.bin", 2999))
			want := "# The recording has only the beginning of its body.\n" +
				"# Its body has 3000 bytes: save it as body.bin first.\n"
			if !strings.HasPrefix(command, want) {
				t.Errorf("the command is %s", command)
			}
		})
	}
}
