package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

// refused lists the examples that cannot succeed, each with the reason.
var refused = map[string]string{
	"core.commitBulkImport": "the job before it has not ended yet",
	"core.transferTable":    "no scenario has the account enabled for transfers",
	"llm.runActionChatapp":  "it wants the signature of the chat app over the time and the body",
}

// Every example of the manual works as it is printed, against the scenario that it names.
func TestExamplesOfOperations(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Interfaces() {
		document, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range document.All() {
			t.Run(op.Name(), func(t *testing.T) {
				t.Parallel()
				page, err := manual.Of(op)
				if err != nil {
					t.Fatal(err)
				}
				status, answer := try(t, page)
				bad := status < 200 || slices.Contains([]int{400, 401, 403, 404, 405, 409, 415, 422, 500, 501}, status)
				switch _, isRefused := refused[op.Name()]; {
				case bad && !isRefused:
					t.Errorf("%d: %.300s\n%s\nwhat the example needs beside its document, such as a call before it, is said in "+
						"specs/manual/trials.go", status, answer, page.Example.Curl)
				case !bad && isRefused:
					t.Errorf("%d, though it is said to be refused", status)
				}
			})
		}
	}
}

// try types an example, and returns the status and the body of its last answer.
func try(t *testing.T, page *manual.Operation) (status int, answer string) {
	t.Helper()
	mock, err := mockserver.New(mockserver.WithScenario(page.Example.Scenario), mockserver.WithQueryEngine(sqlite.New()),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))))
	if err != nil {
		t.Fatal(err)
	}
	typeExample(t, page, func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		mock.ServeHTTP(recorder, r)
		status, answer = recorder.Code, recorder.Body.String()
		w.WriteHeader(status)
		_, _ = w.Write(recorder.Body.Bytes())
	})
	return status, answer
}

// typeExample types an example against a handler.
func typeExample(t *testing.T, page *manual.Operation, handler http.HandlerFunc) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	page.At(manual.Address{URL: server.URL, Key: "1/admin"})
	s := typist{t: t, dir: t.TempDir(), variables: map[string]string{}}
	if err := os.WriteFile(filepath.Join(s.dir, "project.tar.gz"), archive(t), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(page.Example.Curl)
}

// typist understands as much of a POSIX shell as examples need: words and quotes, $ID, and ID=$(…) around a curl and
// what takes the first id out of its answer, and printf and gzip before a curl.
type typist struct {
	t         *testing.T
	dir       string
	variables map[string]string
}

var (
	captured = regexp.MustCompile(
		`(?s)^ID=\$\((.*?) \|\n  grep -o '("\w+":)"\[\^"\]\*"' \| head -n 1 \| cut -d '"' -f 4\)$`)
	endOfLine = regexp.MustCompile(`([^\\|])\n`) // of the last line of a command
)

func (s *typist) run(script string) {
	s.t.Helper()
	for command := range strings.SplitSeq(endOfLine.ReplaceAllString(script, "$1\x00"), "\x00") {
		m := captured.FindStringSubmatch(command)
		if m == nil {
			s.curl(command)
			continue
		}
		answer := s.curl(m[1])
		id := regexp.MustCompile(m[2] + `"([^"]*)"`).FindStringSubmatch(answer)
		if id == nil {
			s.t.Fatalf("the answer has no %s: %.300s\n%s", m[2], answer, script)
		}
		s.variables["ID"] = id[1]
	}
}

func (s *typist) curl(command string) string {
	s.t.Helper()
	words := s.words(command)
	var in bytes.Buffer
	if i := slices.Index(words, "curl"); i > 0 {
		s.pipe(words[:i], &in)
		words = words[i:]
	}
	if len(words) == 0 || words[0] != "curl" {
		s.t.Fatalf("not a curl: %s", command)
	}
	for i, word := range words {
		if name, found := strings.CutPrefix(word, "@"); found && name != "-" {
			words[i] = "@" + filepath.Join(s.dir, name)
		}
		if i > 0 && words[i-1] == "-o" {
			words[i] = filepath.Join(s.dir, word)
		}
	}
	var out, errs bytes.Buffer
	if code := curl(words[1:], &in, &out, &errs); code != 0 {
		s.t.Fatalf("curl ends with %d: %s\n%s", code, errs.String(), command)
	}
	return out.String()
}

// pipe types printf and gzip into the standard input of what comes next.
func (s *typist) pipe(words []string, into io.Writer) {
	s.t.Helper()
	var text string
	switch {
	case len(words) == 6 && words[0] == "printf" && words[1] == `%s\n` &&
		slices.Equal(words[3:], []string{"|", "gzip", "|"}):
		text = words[2] + "\n"
	case len(words) == 5 && words[0] == "printf" && slices.Equal(words[2:], []string{"|", "gzip", "|"}):
		text = regexp.MustCompile(`\\\d{3}`).ReplaceAllStringFunc(words[1], func(octal string) string {
			code, err := strconv.ParseUint(octal[1:], 8, 8)
			if err != nil {
				s.t.Fatal(err)
			}
			return string([]byte{byte(code)})
		})
	default:
		s.t.Fatalf("not printf and gzip: %q", words)
	}
	z := gzip.NewWriter(into)
	_, err := z.Write([]byte(text))
	if err = errors.Join(err, z.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// words splits a command. Its lines go on after a backslash.
func (s *typist) words(command string) []string {
	var words []string
	var word strings.Builder
	begun, quote := false, rune(0) // a word may be empty, in quotes
	text := []rune(strings.ReplaceAll(command, "\\\n", " "))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '$':
			word.WriteRune(c)
		case c == '$':
			name := regexp.MustCompile(`^\w+`).FindString(string(text[i+1:]))
			word.WriteString(s.variables[name])
			i += len(name)
		case c == quote:
			quote = 0
		case c == '\'' || c == '"':
			begun, quote = true, c
		case c == '\\':
			i++
			word.WriteRune(text[i])
		case c == ' ' || c == '\n':
			if begun || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		s.t.Fatalf("a quote is not closed: %s", command)
	}
	return append(words, word.String())
}

// archive returns a project of one workflow.
func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	tarred := tar.NewWriter(zipped)
	const workflow = "+say:\n  echo>: hello\n"
	header := &tar.Header{Name: "hello.dig", Mode: 0o600, Size: int64(len(workflow)), Typeflag: tar.TypeReg}
	if err := tarred.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(tarred, workflow); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tarred.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
