package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
		ValidArgsFunction: completeStories,
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

func completeStories(c *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
	return completeScenarios(c, args, to)
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
	documents := specs.SetOf(f.specs.List, nil, brand)
	s := story.Server{
		Targets: map[specs.Interface]string{}, Specs: documents.Files, Brand: brand, ControlToken: os.Getenv(tokenVariable),
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
	if f.ca != "" {
		text, err := source.ReadFile(f.ca)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--ca: %s has no certificate: want PEM", f.ca)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport, Timeout: f.timeout}, nil
}
