package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

type playFlags struct {
	targets   *checkflags.Pairs
	url       string
	keys      []string
	keyFile   string
	scenario  string
	scenarios string
	brand     string
	specs     checkflags.Pairs
	ca        string
	timeout   time.Duration
	format    *checkflags.Choice
}

func newPlay() *cobra.Command {
	var f playFlags
	c := &cobra.Command{
		Use:   "play STORY...",
		Short: "Play stories against the mock, a staging system, or the real service",
		Long: `Play stories: scripts of requests with the answers that they should get, as scenarios
have them. The report names the first step that is answered otherwise: its file and
line, the request, what was wanted and what came, without secrets.

STORY is a story.txtar, a folder with one, or the name of a scenario. The story of a
name is played in a new world of that scenario, on a mock; --scenario makes one for the
other stories, too. Without it they are played in the world that the server has.

--url is a server with all interfaces below /INTERFACE, as the mock has them; --target
is the address of one interface, as the first line of serve has it. A mock is known by
its control interface. Without either, UNDERSTUDY_URL of the environment is the server, as
behind the -- of serve and proxy. Steps that only a mock can take, those behind [mock] and those
on its clock, are left out elsewhere.

A story shows keys such as 1/admin. --key KEY is shown in the place of 1/admin, and
--key 1/analyst=KEY in the place of another one; a server that is not a mock needs a
key for each. A file of such lines, or the variable UNDERSTUDY_KEY of the environment,
keeps them out of the list of processes. Keys never reach the report.

The exit code is 0 when every story did what it should, 1 when one did not, and 2 when
one could not be played: it is wrong, or a server cannot be reached.`,
		Example: `  # The story of a scenario, against a mock that runs
  understudy play quickstart --url http://127.0.0.1:4010

  # A story of your own, against a mock of its own
  understudy serve --listen 127.0.0.1:0 --scenario ./mine -- understudy play ./mine

  # The same story, against a staging system
  UNDERSTUDY_KEY=$STAGING_KEY understudy play ./mine \
    --target workflow=https://workflow.staging.example --target core=https://api.staging.example/v3

  # A story of a service of your own
  understudy play ./shop.txtar --spec shop=openapi.yaml --target shop=https://shop.staging.example`,
		ValidArgsFunction: completeScenarios,
		RunE:              f.run,
	}
	f.targets = addPairsFlag(c, "target", "the address of an interface (repeatable)", checkflags.Pairs{What: "URL"})
	flags := c.Flags()
	flags.StringVar(&f.url, "url", "",
		"the `URL` of a server that has all interfaces below /INTERFACE, as the mock has (default $"+urlVariable+")")
	flags.StringArrayVar(&f.keys, "key", nil, "show `[STORYKEY=]KEY` in the place of a key of the story (repeatable)")
	flags.StringVar(&f.keyFile, "key-file", "", "read keys from `FILE`, one a line in the form of --key")
	flags.StringVar(&f.scenario, "scenario", "", "on a mock, play each story in a new world of the scenario `NAME`")
	addScenariosFlag(c, &f.scenarios)
	flags.StringVar(&f.ca, "ca", "", "also trust the certificates in `FILE`, such as the one of understudy ca path")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "the longest `DURATION` that an answer may take")
	f.format = addEnumFlag(c, "format", "the format of the report", checkflags.ChoiceOf("text", "json", "junit", "github"))
	checkflags.AddSpecs(flags, &f.specs)
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

func (f *playFlags) run(c *cobra.Command, names []string) error {
	server, err := f.server()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("want a story, a folder with one, or the name of a scenario; see understudy play --help")
	}
	library, err := openLibrary(f.scenarios)
	if err != nil {
		return err
	}
	var results []story.Result
	for _, name := range names {
		result, err := f.play(c.Context(), name, library, server)
		if c.Context().Err() != nil {
			return c.Context().Err()
		}
		if err != nil {
			result.Error = withAdvice(err)
		}
		results = append(results, result)
	}
	if err := writePlayed(c.OutOrStdout(), results, f.format.Word); err != nil {
		return err
	}
	return playedError(results)
}

// withAdvice returns the text of an error, with the flag that helps.
func withAdvice(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*story.MissingKeyError](err); ok && e.Key == firstKey {
		return text + ", with --key KEY or in the variable " + keyVariable
	} else if ok {
		return text + ", with --key " + e.Key + "=KEY"
	}
	if e, ok := errors.AsType[*story.MissingAddressError](err); ok {
		return text + ", with --target " + e.Interface + "=URL or --url"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return text + ": want the certificate of its authority, with --ca FILE"
	}
	return text
}

// playedError returns the error with the exit code of stories that were played.
func playedError(results []story.Result) error {
	different, unplayed := 0, 0
	for _, r := range results {
		switch {
		case r.Error != "":
			unplayed++
		case r.Difference != nil:
			different++
		}
	}
	text := fmt.Sprintf("of %d stories, %d were answered otherwise, and %d could not be played", len(results), different,
		unplayed)
	switch {
	case different > 0:
		return &exitError{exitViolations, errors.New(text)}
	case unplayed > 0:
		return &exitError{exitTrouble, errors.New(text)}
	}
	return nil
}

// play plays one story.
func (f *playFlags) play(ctx context.Context, name string, library scenarios.Library, server story.Server) (
	result story.Result, err error,
) {
	p, scenario, err := findStory(name, library, server.Brand)
	result.File = p.File
	if err != nil {
		return result, err
	}
	if f.scenario != "" {
		scenario = f.scenario
	}
	if p.Server = server; scenario != "" {
		err := p.Server.NewWorld(scenario)
		if err != nil && (f.scenario != "" || !errors.Is(err, story.ErrNoMock)) {
			return result, err
		}
	}
	if p.Server.Close != nil {
		defer p.Server.Close()
	}
	return p.Run(ctx)
}

// findStory returns a story by its file, its folder, or the name of its scenario, which is returned, too.
func findStory(name string, library scenarios.Library, brand specs.Brand) (
	p story.Play, scenario string, err error,
) {
	p.File = name
	info, err := os.Stat(name)
	if err == nil {
		if info.IsDir() {
			p.File = filepath.Join(name, "story.txtar")
		}
		p.Text, err = source.ReadFile(p.File)
		return p, "", err
	}
	if strings.ContainsAny(name, `/\.`) {
		return p, "", err
	}
	s, err := library.LoadBranded(name, brand)
	if err != nil {
		return p, "", err
	}
	if len(s.Story) == 0 {
		return p, "", fmt.Errorf("the scenario %s has no story", name)
	}
	return story.Play{File: s.StoryFile, Text: s.Story}, name, nil
}

// server returns the server to play stories against.
func (f *playFlags) server() (story.Server, error) {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return story.Server{}, err
	}
	documents, err := f.specs.Documents(nil, f.brand)
	if err != nil {
		return story.Server{}, err
	}
	s := story.Server{
		Targets: map[specs.Interface]string{}, Specs: documents, Brand: brand, ControlToken: os.Getenv(tokenVariable),
	}
	from := "--url"
	if f.url == "" && len(f.targets.List) == 0 {
		from, f.url = urlVariable, os.Getenv(urlVariable)
	}
	if f.url == "" && len(f.targets.List) == 0 {
		return s, errors.New("want --url URL, or --target NAME=URL for each interface of the story")
	}
	s.URL = strings.TrimSuffix(f.url, "/")
	if f.timeout <= 0 {
		return s, fmt.Errorf("--timeout %v: want a duration such as 30s", f.timeout)
	}
	for _, target := range f.targets.List {
		if err := documents.Check(specs.Interface(target[0])); err != nil {
			return s, fmt.Errorf("--target: %w", err)
		}
		s.Targets[specs.Interface(target[0])] = target[1]
		if err := checkAddress("--target "+target[0], target[1]); err != nil {
			return s, err
		}
	}
	if err := checkAddress(from, f.url); f.url != "" && err != nil {
		return s, err
	}
	if s.Keys, err = f.readKeys(); err != nil {
		return s, err
	}
	s.Client, err = f.client()
	return s, err
}

// checkAddress refuses what is not the address of a server. The message does not repeat it: a password may stand in it.
func checkAddress(flag, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return fmt.Errorf("%s: want an address such as https://workflow.example.com, without a user or a query", flag)
	}
	return nil
}

func (f *playFlags) client() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	pool, err := authorities("--ca", f.ca)
	if err != nil {
		return nil, err
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	transport.DisableCompression = true // no header is sent but those of the story
	return &http.Client{Transport: transport, Timeout: f.timeout}, nil
}

// writePlayed writes what has become of stories.
func writePlayed(w io.Writer, results []story.Result, format string) error {
	switch format {
	case "json":
		return writeJSON(w, map[string]any{"stories": results}, false)
	case "junit":
		return writePlayedJUnit(w, results)
	case "github":
		return writePlayedGitHub(w, results)
	}
	log := report.LogWriter(w)
	for _, r := range results {
		if _, err := io.WriteString(log, playedText(r)); err != nil {
			return err
		}
	}
	return nil
}

// playedText returns what has become of a story, for people.
func playedText(r story.Result) string {
	var b strings.Builder
	switch {
	case r.Error != "":
		fmt.Fprintf(&b, "%s: could not be played\n%s", r.File, indented(r.Error))
	case r.Difference != nil:
		fmt.Fprintf(&b, "%s: answered otherwise, after %s\n%s", r.File, stepsOf(r), indented(differenceText(r)))
	default:
		fmt.Fprintf(&b, "%s: ok, %s\n", r.File, stepsOf(r))
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "  %s:%d: left out: %s: %s\n", r.File, s.Line, s.Step, s.Reason)
	}
	return b.String()
}

func stepsOf(r story.Result) string {
	if r.Played == r.Steps {
		return fmt.Sprintf("%d steps", r.Steps)
	}
	return fmt.Sprintf("%d of %d steps", r.Played, r.Steps)
}

func differenceText(r story.Result) string {
	d := r.Difference
	text := fmt.Sprintf("%s:%d: %s\n%s\n", r.File, d.Line, d.Step, d.Reason)
	if d.Request != "" {
		text += fmt.Sprintf("%s → %d\n", d.Request, d.Status)
	}
	if d.Answer != "" {
		text += d.Answer + "\n"
	}
	return text
}

func indented(text string) string {
	text = strings.TrimRight(text, "\n")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writePlayedJUnit writes a test case for each story.
func writePlayedJUnit(w io.Writer, results []story.Result) error {
	suite := junitSuite{Name: "understudy play", Tests: len(results)}
	for _, r := range results {
		one := junitCase{Name: r.File, Class: "understudy.play"}
		switch {
		case r.Error != "":
			suite.Errors++
			one.Error = &junitMessage{"could not be played", r.Error}
		case r.Difference != nil:
			suite.Failures++
			one.Failure = &junitMessage{
				fmt.Sprintf("line %d: %s", r.Difference.Line, r.Difference.Step), differenceText(r),
			}
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// toCommand writes a text in a workflow command of GitHub Actions.
var toCommand = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// toProperty writes a text as a property of such a command.
var toProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

// writePlayedGitHub writes an annotation for each story that was answered otherwise, or could not be played.
func writePlayedGitHub(w io.Writer, results []story.Result) error {
	var b strings.Builder
	for _, r := range results {
		switch {
		case r.Error != "":
			fmt.Fprintf(&b, "::error file=%s::%s\n", toProperty.Replace(r.File), toCommand.Replace(r.Error))
		case r.Difference != nil:
			fmt.Fprintf(&b, "::error file=%s,line=%d,title=%s::%s\n", toProperty.Replace(r.File), r.Difference.Line,
				toProperty.Replace(r.Difference.Step), toCommand.Replace(differenceText(r)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// keyVariable is the variable of the environment that may hold the key to show in the place of the first one.
const keyVariable = "UNDERSTUDY_KEY"

// firstKey is the key that stories show until they say otherwise.
const firstKey = "1/admin"

// readKeys returns the keys to show, by those of stories: out of the environment, a file and flags.
func (f *playFlags) readKeys() (map[string]string, error) {
	keys := map[string]string{}
	if key := os.Getenv(keyVariable); key != "" {
		keys[firstKey] = key
	}
	lines := f.keys
	if f.keyFile != "" {
		text, err := source.ReadFile(f.keyFile)
		if err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
		var more []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				more = append(more, line)
			}
		}
		lines = append(more, lines...)
	}
	for _, line := range lines {
		of, key, found := strings.Cut(line, "=")
		if !found {
			of, key = firstKey, line
		}
		if of == "" || key == "" || strings.ContainsAny(key, "\r\n") {
			return nil, errors.New("--key: want KEY for the key 1/admin of a story, or STORYKEY=KEY for another one")
		}
		keys[of] = key
	}
	return keys, nil
}
