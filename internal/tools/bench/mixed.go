package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs/recording"
)

// mixedTraffic returns the traffic of all stories of all scenarios, over and over: in each round with other names,
// numbers, ids and times, and in worlds of their own, since the same story cannot happen twice in one.
func mixedTraffic(context.Context) traffic {
	var whole []template
	for _, name := range scenarios.List() {
		var journal []recording.Exchange
		must.In("play "+name, func() { journal = playedJournal(name) })
		texts := journalLines(journal, name)
		names := namesIn(texts)
		for _, text := range texts {
			whole = append(whole, templateOf(text, names))
		}
	}
	alike := 0
	for _, t := range whole {
		if _, said, _ := bytes.Cut(t.inRound(0), []byte(`"request":`)); bytes.HasSuffix(t.inRound(1), said) {
			alike++
		}
	}
	return traffic{
		kinds: len(whole), line: func(i int) []byte { return whole[i%len(whole)].inRound(i / len(whole)) },
		alike: fmt.Sprintf("%d of which are the same in each round", alike),
	}
}

// playedJournal plays the story of a scenario, and returns its journal.
func playedJournal(name string) []recording.Exchange {
	s := must.Get(scenarios.Load(name))
	file := filepath.Join(os.TempDir(), "story.txtar")
	must.Do(os.WriteFile(file, s.Story, 0o600))
	server := must.Get(mockserver.New(mockserver.WithScenario(name), mockserver.WithClock("frozen"),
		mockserver.WithQueryEngine(sqlite.New())))
	defer func() { must.Do(server.Close()) }()
	testscript.RunT(scriptRunner{},
		story.Params(file, func() (story.Server, error) { return story.Server{Handler: server}, nil }, false))
	return must.Get(server.World("").Journal())
}

// scriptRunner plays a story outside of a test.
type scriptRunner struct{}

func (scriptRunner) Skip(...any)                            {}
func (scriptRunner) Fatal(args ...any)                      { must.Fatalf("the story fails: %s", fmt.Sprint(args...)) }
func (scriptRunner) Parallel()                              {}
func (scriptRunner) Log(...any)                             {}
func (scriptRunner) FailNow()                               { must.Fatalf("the story fails: a step does") }
func (scriptRunner) Verbose() bool                          { return false }
func (s scriptRunner) Run(_ string, run func(testscript.T)) { run(s) }

// journalLines returns a journal in lines, in a world of that name. The lengths of bodies, which differ from round
// to round, are left out.
func journalLines(journal []recording.Exchange, world string) (list []string) {
	for i := range journal {
		e := &journal[i]
		e.World = world
		e.Request.Headers = withoutLength(e.Request.Headers)
		if body := e.Response.Body; body != nil && bytes.Contains(body.Bytes, []byte(":")) {
			e.Response.Headers = withoutLength(e.Response.Headers)
		}
		var b bytes.Buffer
		must.Do(recording.Write(&b, e))
		list = append(list, b.String())
	}
	return list
}

func withoutLength(headers recording.Headers) recording.Headers {
	return slices.DeleteFunc(slices.Clone(headers),
		func(line [2]string) bool { return strings.EqualFold(line[0], "Content-Length") })
}

var nameInBody = regexp.MustCompile(`\\"name\\":\\"([A-Za-z][A-Za-z0-9_]{2,40})\\"`)

// namesIn returns the names of things in bodies.
func namesIn(texts []string) map[string]bool {
	names := map[string]bool{}
	for _, text := range texts {
		for _, match := range nameInBody.FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
	}
	return names
}

// template is an exchange as text, divided into pieces that stay and pieces that differ in each round.
type template struct {
	pieces []string
	vary   []func(b []byte, piece string, round int) []byte // nil for what stays
}

var variablePart = regexp.MustCompile(`"world":"[a-z-]+` + // the same in a round
	`|20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d` + // a time
	`|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}` + // an id
	`|[A-Za-z][A-Za-z0-9_]{2,}|[0-9]+`)

func templateOf(text string, names map[string]bool) (t template) {
	at := 0
	for _, found := range variablePart.FindAllStringIndex(text, -1) {
		piece := text[found[0]:found[1]]
		vary := variation(piece, isWhole(text, found), names)
		if vary == nil {
			continue
		}
		t.pieces = append(t.pieces, text[at:found[0]], piece)
		t.vary = append(t.vary, nil, vary)
		at = found[1]
	}
	t.pieces, t.vary = append(t.pieces, text[at:]), append(t.vary, nil)
	return t
}

// isWhole reports whether a piece is a whole text or a whole part of a path, and no key of an object.
func isWhole(text string, at []int) bool {
	before, after := text[at[0]-1], strings.TrimPrefix(text[at[1]:], `\`)
	return strings.ContainsRune(`"/=`, rune(before)) && strings.ContainsRune(`"/?&`, rune(after[0])) &&
		!strings.HasPrefix(after, `":`)
}

// variation returns a function that writes a piece for a round, or nil if the piece stays as it is.
func variation(piece string, isWhole bool, names map[string]bool) func([]byte, string, int) []byte {
	for _, second := range []string{"2006-01-02T15:04:05", time.DateTime} {
		if at, err := time.Parse(second, piece); err == nil {
			return func(b []byte, _ string, round int) []byte {
				return at.Add(time.Duration(round)*time.Second).AppendFormat(b, second)
			}
		}
	}
	switch {
	case strings.HasPrefix(piece, `"world"`), isWhole && names[piece]:
		return func(b []byte, piece string, round int) []byte {
			return strconv.AppendInt(append(append(b, piece...), '_'), int64(round), 10)
		}
	case len(piece) == 36 && strings.Count(piece, "-") == 4:
		return func(b []byte, piece string, round int) []byte {
			last, _ := strconv.ParseUint(piece[24:], 16, 48)
			return fmt.Appendf(append(b, piece[:24]...), "%012x", (last+uint64(round))&(1<<48-1))
		}
	}
	if n, err := strconv.ParseInt(piece, 10, 64); err == nil && len(piece) >= 7 && len(piece) < 18 && piece[0] != '0' {
		return func(b []byte, _ string, round int) []byte { return strconv.AppendInt(b, n+int64(round), 10) }
	}
	return nil
}

// inRound returns the exchange of a round.
func (t template) inRound(round int) []byte {
	var b []byte
	for i, piece := range t.pieces {
		if vary := t.vary[i]; vary != nil {
			b = vary(b, piece, round)
		} else {
			b = append(b, piece...)
		}
	}
	return b
}
