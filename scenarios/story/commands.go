package story

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/vmihailenco/msgpack/v5"
	"golang.org/x/net/http/httpguts"

	"svc.example/understudy/internal/fold"
	"svc.example/understudy/internal/jsontree"
)

// command is a kind of step: how it is written, how many words follow its name, and what it does.
type command struct {
	usage       string
	least, most int
	do          action
}

type action func(ts *testscript.TestScript, p *player, args []string)

// steps returns the commands of a story, as the package comment explains them.
func steps() map[string]command {
	return map[string]command{
		"DELETE":  request("DELETE"),
		"GET":     request("GET"),
		"HEAD":    request("HEAD"),
		"OPTIONS": request("OPTIONS"),
		"PATCH":   request("PATCH"),
		"POST":    request("POST"),
		"PUT":     request("PUT"),
		"archive": {"archive FILE.tar.gz FOLDER", 2, 2, archive},
		"as":      {"as KEY", 1, 1, useKey},
		"capture": {"capture NAME PATH", 2, 2, capture},
		"clock":   {"clock advance LENGTH | clock idle", 1, 2, moveClock},
		"header":  {"header NAME [PATTERN]", 1, 2, header},
		"match":   {"match WANT", 1, 1, match},
		"poll":    {"poll PATH WANT [LENGTH]", 2, 3, poll},
		"read":    {"read lines | read msgpack | read events", 1, 1, read},
		"rows":    {"rows FILE.gz FILE.json", 2, 2, packRows},
		"says":    {"says TEXT", 1, 1, assertContains},
		"with":    {"with NAME VALUE", 2, 2, with},
	}
}

// commands returns the words that lines begin with, as testscript takes them.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){}
	for _, name := range append(slices.Collect(maps.Keys(steps())), fold.Each) {
		all[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			list, err := fold.Steps(append([]string{name}, args...), isStep)
			ts.Check(err)
			p := ts.Value(playing{}).(*player)
			for i, step := range list {
				c, ok := steps()[step[0]]
				if !ok {
					ts.Fatalf("unknown step %q", step[0])
				}
				p.at = i
				c.run(ts, p, neg, step[1:])
			}
		}
	}
	return all
}

// fits reports whether a step has the right number of words. A "!" before it is not allowed: an expected failure is
// given by its status.
func (c command) fits(neg bool, args []string) bool {
	return !neg && len(args) >= c.least && len(args) <= c.most
}

func (c command) run(ts *testscript.TestScript, p *player, neg bool, args []string) {
	if !c.fits(neg, args) {
		ts.Fatalf("want: %s", c.usage)
	}
	c.do(ts, p, args)
	p.played++
}

// read turns the last answer, a series of values, into a JSON list of them.
func read(ts *testscript.TestScript, p *player, args []string) {
	list := []any{}
	var next func(*any) error
	switch body := bytes.NewReader(p.answer(ts)); args[0] {
	case "lines":
		decoder := json.NewDecoder(body)
		decoder.UseNumber()
		next = func(value *any) error { return decoder.Decode(value) }
	case "msgpack":
		decoder := msgpack.NewDecoder(body)
		next = func(value *any) error { return decoder.Decode(value) }
	case "events":
		decoder := json.NewDecoder(bytes.NewReader(eventData(p.body)))
		decoder.UseNumber()
		next = func(value *any) error { return decoder.Decode(value) }
	default:
		ts.Fatalf("want: read lines, read msgpack, or read events")
	}
	for {
		var value any
		err := next(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		list = append(list, value)
	}
	body, err := json.Marshal(list)
	ts.Check(err)
	p.body = body
}

// eventData returns the data of server-sent events, one after the other.
func eventData(stream []byte) []byte {
	var data []byte
	for line := range bytes.Lines(stream) {
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, value...)
		}
	}
	return data
}

func request(method string) command {
	return command{method + " PATH [STATUS] [BODY]", 1, 3, func(ts *testscript.TestScript, p *player, args []string) {
		status, rest := statusOf(args)
		var body []byte
		mediaType := "application/json"
		if len(rest) > 0 {
			body = []byte(p.text(ts, rest[0]))
			switch {
			case strings.HasSuffix(rest[0], ".gz"):
				mediaType = "application/gzip"
			case strings.HasSuffix(rest[0], ".form"):
				mediaType, body = "application/x-www-form-urlencoded", bytes.TrimSpace(body)
			}
		}
		ts.Check(p.send(method, args[0], mediaType, body))
		ts.Logf("%d %s", p.last.StatusCode, p.shown())
		switch got := p.last.StatusCode; {
		case status == 0 && got/100 != 2:
			ts.Fatalf("%s %s was answered with status %d, want 2xx", method, args[0], got)
		case status != 0 && got != status:
			ts.Fatalf("%s %s was answered with status %d, want %d", method, args[0], got, status)
		}
	}}
}

// with adds a header to the next request.
func with(ts *testscript.TestScript, p *player, args []string) {
	if !httpguts.ValidHeaderFieldName(args[0]) || !httpguts.ValidHeaderFieldValue(args[1]) {
		ts.Fatalf("with %s: want the name of a header, and a value in one line", args[0])
	}
	p.headers.Add(args[0], args[1])
}

// statusOf returns the status that a request wants, 0 for any 2xx, and the words behind it.
func statusOf(args []string) (status int, rest []string) {
	rest = args[1:]
	if len(rest) > 0 {
		if n, err := strconv.Atoi(rest[0]); err == nil {
			return n, rest[1:]
		}
	}
	return 0, rest
}

// poll sends a GET request until its answer has all that is wanted. In between it waits for a second of the server's:
// the clock of a mock is moved.
func poll(ts *testscript.TestScript, p *player, args []string) {
	limit := 10 * time.Minute
	if len(args) > 2 {
		var err error
		limit, err = time.ParseDuration(args[2])
		ts.Check(err)
	}
	want := args[1]
	if !inline(want) {
		want = ts.ReadFile(want)
	}
	headers := maps.Clone(p.headers)
	for waited := time.Duration(0); ; waited += time.Second {
		maps.Copy(p.headers, headers)
		ts.Check(p.send(http.MethodGet, args[0], "", nil))
		if p.last.StatusCode/100 == 2 && p.has(want) || waited >= limit {
			break
		}
		if isMock := p.mock || !p.redacts; !isMock || p.moveClock(map[string]any{"advance": "1s"}) != nil {
			select {
			case <-p.context.Done():
				ts.Check(p.context.Err())
			case <-time.After(time.Second):
			}
		}
	}
	ts.Logf("%d %s", p.last.StatusCode, p.shown())
	if got := p.last.StatusCode; got/100 != 2 {
		ts.Fatalf("GET %s was answered with status %d, want 2xx", args[0], got)
	}
	match(ts, p, args[1:2])
}

// text is JSON as it stands in a step, or the content of a file. In both, captured names stand for their values.
func (p *player) text(ts *testscript.TestScript, arg string) string {
	switch {
	case inline(arg):
		return p.replaceVariables(arg)
	case strings.HasSuffix(arg, ".gz"):
		return ts.ReadFile(arg)
	}
	return p.replaceVariables(ts.ReadFile(arg))
}

func inline(arg string) bool { return strings.HasPrefix(arg, "{") || strings.HasPrefix(arg, "[") }

var variable = regexp.MustCompile(`\$[A-Z][A-Z0-9_]*`)

func (p *player) replaceVariables(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := p.vars[name[1:]]; ok {
			return value
		}
		return name
	})
}

func useKey(_ *testscript.TestScript, p *player, args []string) { p.key = args[0] }

func capture(ts *testscript.TestScript, p *player, args []string) {
	found := jsontree.Find(p.answer(ts), args[1])
	if !found.Exists() {
		ts.Fatalf("the response has no %s:\n%s", args[1], p.shown())
	}
	p.vars[args[0]] = found.Text()
	ts.Setenv(args[0], found.Text())
}

func moveClock(ts *testscript.TestScript, p *player, args []string) {
	switch {
	case p.redacts && !p.mock:
		p.played-- // it is skipped
	case args[0] == "idle" && len(args) == 1:
		ts.Check(p.moveClock(map[string]any{"untilIdle": true}))
	case args[0] == "advance" && len(args) == 2:
		_, err := time.ParseDuration(args[1])
		ts.Check(err)
		ts.Check(p.moveClock(map[string]any{"advance": args[1]}))
	default:
		ts.Fatalf("want: clock advance LENGTH, or clock idle")
	}
}

func header(ts *testscript.TestScript, p *player, args []string) {
	p.answer(ts)
	values := p.last.Header.Values(args[0])
	if len(values) == 0 {
		ts.Fatalf("the response has no header %s", args[0])
	}
	if len(args) == 1 {
		return
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	if !slices.ContainsFunc(values, pattern.MatchString) {
		ts.Fatalf("the header %s is %s, which does not match %s", args[0], p.clean(fmt.Sprintf("%q", values)), args[1])
	}
}

func assertContains(ts *testscript.TestScript, p *player, args []string) {
	if !bytes.Contains(p.answer(ts), []byte(args[0])) {
		ts.Fatalf("the response does not contain %q:\n%s", args[0], p.shown())
	}
}

func (p *player) answer(ts *testscript.TestScript) []byte {
	if p.last == nil {
		ts.Fatalf("no request has been sent yet")
	}
	return p.body
}

// packRows writes a list of objects as rows are uploaded: one msgpack map after the other, in gzip.
func packRows(ts *testscript.TestScript, p *player, args []string) {
	list, err := jsontree.Decode[[]map[string]any]([]byte(p.text(ts, args[1])))
	ts.Check(err)
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	encoder := msgpack.NewEncoder(zipped)
	encoder.SetSortMapKeys(true)
	for _, row := range list {
		for name, value := range row {
			if number, ok := value.(json.Number); ok {
				row[name] = plainNumber(number)
			}
		}
		ts.Check(encoder.Encode(row))
	}
	ts.Check(zipped.Close())
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[0])), packed.Bytes(), 0o600))
}

// plainNumber returns an integer if it is written as one.
func plainNumber(number json.Number) any {
	if n, err := number.Int64(); err == nil {
		return n
	}
	f, _ := number.Float64() // what JSON has for a number
	return f
}

func archive(ts *testscript.TestScript, _ *player, args []string) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	ts.Check(files.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(files.Close())
	ts.Check(zipped.Close())
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[0])), packed.Bytes(), 0o600))
}
