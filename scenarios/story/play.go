package story

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// Play is a story to play outside of a test, and the server to play it against.
type Play struct {
	File   string // for messages
	Text   []byte
	Server Server
}

// Result describes how far a story got.
type Result struct {
	File       string      `json:"file"`
	Mock       bool        `json:"mock"`   // the server is a mock
	Passed     bool        `json:"passed"` // all steps that it has for such a server
	Played     int         `json:"played"` // steps that did what they should
	Steps      int         `json:"steps"`  // that the story has for such a server
	Skipped    []Skipped   `json:"skipped,omitempty"`
	Difference *Difference `json:"difference,omitempty"` // the first step that did not do what it should
	Error      string      `json:"error,omitempty"`      // why the story could not be played to its end
}

// Skipped is a step that a server cannot take.
type Skipped struct {
	Line   int    `json:"line"`
	Step   string `json:"step"`
	Reason string `json:"reason"`
}

// Difference describes a step that did not do what it should, with the last request before it. Secrets are not in it.
type Difference struct {
	Line    int    `json:"line"`
	Step    string `json:"step"`
	Reason  string `json:"reason"`            // what was wanted, and what was there
	Request string `json:"request,omitempty"` // method and address
	Status  int    `json:"status,omitempty"`  // of the answer
	Answer  string `json:"answer,omitempty"`  // its body
}

// Run plays the story. An error means that it could not be played: because of the story, or because a server could not
// be reached. A step that does not do what it should is in the result instead.
func (p Play) Run(ctx context.Context) (Result, error) {
	r := Result{File: p.File}
	if err := Check(p.File, p.Text, p.Server.documents()); err != nil {
		return r, err
	}
	folder, err := os.MkdirTemp("", "understudy-play-")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "story.txtar")
	if err := os.WriteFile(file, p.Text, 0o600); err != nil {
		return r, err
	}
	one := newPlayer(p.Server)
	one.context, one.redacts = ctx, true
	if err := one.findMock(); err != nil {
		return r, err
	}
	r.Mock = one.mock
	r.Steps, r.Skipped = plan(p.Text, one.mock)
	run := &script{}
	run.play(testscript.Params{
		Files: []string{file}, RequireUniqueNames: true, Cmds: commands(),
		Condition: func(name string) (bool, error) { return condition(name, one.mock) },
		Setup:     func(env *testscript.Env) error { env.Values[playing{}] = one; return nil },
	})
	r.Played, r.Passed = one.played, !run.failed
	if one.trouble != nil {
		return r, one.trouble
	}
	if run.failed {
		r.Difference, err = one.difference(run.log.String(), p.Text)
	}
	return r, err
}

// script runs the steps of a story where there is no test.
type script struct {
	log    strings.Builder
	failed bool
}

// errStopped ends a script.
var errStopped = errors.New("the script has stopped")

func (s *script) play(params testscript.Params) {
	defer s.stop()
	testscript.RunT(s, params)
}

func (s *script) stop() {
	if stopped := recover(); stopped != nil && stopped != any(errStopped) {
		panic(stopped)
	}
}

// Skip implements testscript.T.
func (s *script) Skip(...any) { panic(errStopped) }

// Fatal implements testscript.T.
func (s *script) Fatal(args ...any) { s.Log(args...); s.FailNow() }

// Parallel implements testscript.T.
func (s *script) Parallel() {}

// Log implements testscript.T.
func (s *script) Log(args ...any) { fmt.Fprintln(&s.log, args...) }

// FailNow implements testscript.T.
func (s *script) FailNow() { s.failed = true; panic(errStopped) }

// Run implements testscript.T.
func (s *script) Run(_ string, do func(testscript.T)) {
	defer s.stop()
	do(s)
}

// Verbose implements testscript.T.
func (s *script) Verbose() bool { return false }

// failure is the line of a log that names the step, and everything behind it.
var failure = regexp.MustCompile(`(?s)(?:^|\n)FAIL: [^\n]*story\.txtar:(\d+): (.*)$`)

// difference returns the step at which a story has stopped, out of the log of its script.
func (p *player) difference(log string, text []byte) (*Difference, error) {
	found := failure.FindStringSubmatch(log)
	if found == nil {
		return nil, fmt.Errorf("the story stopped: %s", strings.TrimSpace(p.clean(log)))
	}
	line, _ := strconv.Atoi(found[1])
	d := &Difference{Line: line, Reason: strings.TrimSpace(p.clean(found[2]))}
	if all := strings.Split(string(txtar.Parse(text).Comment), "\n"); line > 0 && line <= len(all) {
		d.Step = strings.TrimSpace(all[line-1])
		if list, _, _ := stepsOf(d.Step); len(list) > 1 && p.at < len(list) {
			d.Step = strings.Join(list[p.at], " ")
		}
	}
	if p.last != nil {
		d.Request, d.Status, d.Answer = p.clean(p.requested), p.last.StatusCode, p.shown()
	}
	return d, nil
}

// plan returns how many steps a story has for a server, and which it leaves out there.
func plan(text []byte, mock bool) (count int, skipped []Skipped) {
	for i, line := range strings.Split(string(txtar.Parse(text).Comment), "\n") {
		list, conditions, _ := stepsOf(line) // Check has refused what cannot be read
		fits := true
		for _, condition := range conditions {
			fits = fits && (condition == "[mock]") == mock
		}
		for _, step := range list {
			switch {
			case len(step) == 0 || !fits && mock:
			case !fits:
				skipped = append(skipped, Skipped{i + 1, strings.Join(step, " "), "only a mock can do it"})
			case step[0] == "stop":
				return count, skipped
			case step[0] == "clock" && !mock:
				skipped = append(skipped, Skipped{i + 1, strings.Join(step, " "), "only a mock has a clock that can be moved"})
			case isStep(step[0]):
				count++
			}
		}
	}
	return count, skipped
}

// findMock finds out whether the server, or one of its interfaces, is a mock, and where its control interface is.
func (p *player) findMock() error {
	roots := p.server.roots()
	if len(roots) == 0 {
		return errors.New("no address to play the story against: want a URL, or one for an interface")
	}
	for _, root := range roots {
		probe := *p
		probe.key, probe.control, probe.server.World = nobody, root, ""
		if err := probe.send(http.MethodGet, control+"/health", "", nil); err != nil {
			return probe.trouble
		}
		if probe.last.StatusCode == http.StatusOK && strings.Contains(string(probe.body), `"status"`) {
			p.mock, p.control = true, root
			return nil
		}
	}
	return nil
}
