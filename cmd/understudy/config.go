package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// configName is the configuration that is read if it exists and no other one is given.
const configName = "understudy.yaml"

// configVariable is the variable of the environment that names a configuration.
const configVariable = "UNDERSTUDY_CONFIG"

//go:embed understudy.schema.json
var configSchema string

// configuration holds the settings of a team for all who run understudy in a folder. All of them are values of flags;
// those on the command line take precedence. Paths are relative to the file.
type configuration struct {
	Brand      string               `json:"brand"`
	Bases      map[string]oneOrMore `json:"bases"`
	Rewrites   []rewriteLine        `json:"rewrites"`
	Documents  map[string]string    `json:"documents"`
	Trust      string               `json:"trust"`
	Disputed   string               `json:"disputed"`
	Engine     string               `json:"engine"`
	Complete   string               `json:"complete"`
	Severities []severityLine       `json:"severities"`
	Baseline   string               `json:"baseline"`
	Thresholds map[string]float64   `json:"thresholds"`
	Most       *float64             `json:"maxInconclusive"`
	Ignore     ignoreLists          `json:"ignore"`
	Latency    map[string]string    `json:"latency"`
	Recordings []string             `json:"recordings"`
	Reports    []reportLine         `json:"reports"`
	Minimize   string               `json:"minimize"`
	Compare    compareLines         `json:"compare"`

	text *source.Text
}

type severityLine struct {
	Rule      string `json:"rule"`
	Operation string `json:"operation"`
	Severity  string `json:"severity"`
}

type ignoreLists struct {
	Hosts   []string `json:"hosts"`
	Paths   []string `json:"paths"`
	Headers []string `json:"headers"`
}

type rewriteLine struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type reportLine struct {
	Format string `json:"format"`
	File   string `json:"file"`
}

// oneOrMore is a text or a list of texts.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(o))
	}
	*o = make(oneOrMore, 1)
	return json.Unmarshal(data, &(*o)[0])
}

var compiledConfig = sync.OnceValues(func() (*source.Schema, error) {
	const name = "understudy.schema.json"
	return source.Compile(name, map[string][]byte{name: []byte(configSchema)}, nil)
})

// readConfig reads a configuration; it must be there.
func readConfig(path string) (*configuration, error) {
	content, err := source.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	text, err := source.Read(path, content)
	if err != nil {
		return nil, err
	}
	schema, err := compiledConfig()
	if err != nil {
		return nil, err
	}
	if err := source.Join(text.Check(schema)); err != nil {
		return nil, err
	}
	c := &configuration{text: text}
	if err := text.Decode(c); err != nil {
		return nil, err
	}
	c.resolvePaths()
	return c, nil
}

// resolvePaths makes paths relative to the working folder.
func (c *configuration) resolvePaths() {
	at := c.beside
	for name, path := range c.Documents {
		c.Documents[name] = at(path)
	}
	for i, path := range c.Recordings {
		c.Recordings[i] = at(path)
	}
	for i, line := range c.Reports {
		c.Reports[i].File = at(line.File)
	}
	c.Baseline, c.Minimize = at(c.Baseline), at(c.Minimize)
	if c.Engine != noEngine {
		c.Engine = at(c.Engine)
	}
	c.Compare.resolvePaths(at)
}

// setting is the value of a flag that a configuration sets.
type setting struct {
	flag, value string
	path        []any // of the value in the file
}

// settings lists the values of flags, in the order of the file's schema.
func (c *configuration) settings() []setting {
	list := []setting{
		{"brand", c.Brand, []any{"brand"}},
		{"trust", c.Trust, []any{"trust"}},
		{"disputed", c.Disputed, []any{"disputed"}},
		{"engine", c.Engine, []any{"engine"}},
		{"complete", c.Complete, []any{"complete"}},
		{"baseline", c.Baseline, []any{"baseline"}},
		{"minimize", c.Minimize, []any{"minimize"}},
	}
	for _, name := range slices.Sorted(maps.Keys(c.Bases)) {
		for _, url := range c.Bases[name] {
			list = append(list, setting{"base", name + "=" + url, []any{"bases", name}})
		}
	}
	for i, line := range c.Rewrites {
		list = append(list, setting{"rewrite", line.From + "=" + line.To, []any{"rewrites", i}})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Documents)) {
		list = append(list, setting{"spec", name + "=" + c.Documents[name], []any{"documents", name}})
	}
	for i, line := range c.Severities {
		name := line.Rule
		if line.Operation != "" {
			name += "@" + line.Operation
		}
		list = append(list, setting{"severity", name + "=" + line.Severity, []any{"severities", i}})
	}
	for _, axis := range slices.Sorted(maps.Keys(c.Thresholds)) {
		percent := strconv.FormatFloat(c.Thresholds[axis], 'g', -1, 64)
		list = append(list, setting{"min", axis + "=" + percent, []any{"thresholds", axis}})
	}
	if c.Most != nil {
		percent := strconv.FormatFloat(*c.Most, 'g', -1, 64)
		list = append(list, setting{"max-inconclusive", percent, []any{"maxInconclusive"}})
	}
	for i, pattern := range c.Ignore.Hosts {
		list = append(list, setting{"ignore-host", pattern, []any{"ignore", "hosts", i}})
	}
	for i, pattern := range c.Ignore.Paths {
		list = append(list, setting{"ignore-path", pattern, []any{"ignore", "paths", i}})
	}
	for i, pattern := range c.Ignore.Headers {
		list = append(list, setting{"ignore-header", pattern, []any{"ignore", "headers", i}})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Latency)) {
		list = append(list, setting{"latency", name + "=" + c.Latency[name], []any{"latency", name}})
	}
	for i, line := range c.Reports {
		list = append(list, setting{"report", line.Format + "=" + line.File, []any{"reports", i}})
	}
	return slices.DeleteFunc(list, func(s setting) bool { return s.value == "" })
}

type configKey struct{}

// configurationOf returns the configuration that a command runs with, which may be empty.
func configurationOf(c *cobra.Command) *configuration {
	if config, ok := c.Context().Value(configKey{}).(*configuration); ok {
		return config
	}
	return &configuration{}
}

// configure reads the configuration, and sets the flags of the command that it has values for, unless the command line
// sets them. Flags with a value per interface or axis are set for each interface or axis by itself.
func configure(c *cobra.Command, args []string) error {
	if c.Name() == cobra.ShellCompRequestCmd || c.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // the word that is to be completed may be empty
	}
	warnOfVariables(c)
	if err := refuseEmpty(c, args); err != nil {
		return err
	}
	config, err := findConfig(c)
	if err != nil {
		return err
	}
	c.SetContext(context.WithValue(c.Context(), configKey{}, config))
	defer warnOfNames(c)
	if c.Name() == serveCommand {
		return configureServe(c, config)
	}
	if config.text == nil {
		return nil
	}
	given := givenFlags(c)
	var problems []*source.Problem
	for _, s := range config.settingsOf(c.Name()) {
		flag := c.Flags().Lookup(s.flag)
		if name, _, _ := strings.Cut(s.value, "="); flag == nil || given[s.flag] || given[s.flag+" "+name] {
			continue
		}
		if err := flag.Value.Set(s.value); err != nil {
			problems = append(problems, config.text.Problem(s.path, "%v", err))
		}
	}
	return source.Join(problems)
}

// warnOfNames warns of interfaces of the user's own that are called almost like one of the platform.
func warnOfNames(c *cobra.Command) {
	for _, value := range valuesOf(c, "spec") {
		name, _, _ := strings.Cut(value, "=")
		if near, is := specs.Interface(name).Near(); is {
			fmt.Fprintf(c.ErrOrStderr(), "understudy: --spec %s: a new interface %s is added; for your version of one of the "+
				"platform's, did you mean %s?\n", value, name, near)
		}
	}
}

// findConfig reads the configuration that --config names, or else the environment, or the one of the working folder. It
// is empty if there is none.
func findConfig(c *cobra.Command) (*configuration, error) {
	path, err := c.Flags().GetString("config")
	if err != nil || c.Name() == "init" {
		return &configuration{}, err
	}
	if path = cmp.Or(path, os.Getenv(configVariable)); path != "" {
		return readConfig(path)
	}
	if _, err := os.Stat(configName); errors.Is(err, fs.ErrNotExist) {
		return &configuration{}, nil
	}
	return readConfig(configName)
}

// givenFlags returns the flags of the command line: by their names, and those with NAME=WHAT by both names.
func givenFlags(c *cobra.Command) map[string]bool {
	given := map[string]bool{}
	for _, flag := range []string{
		"brand", "trust", "disputed", "engine", "complete", "baseline", "minimize",
		"max-inconclusive", "scenario", "scenarios", "now", "tolerance",
	} {
		given[flag] = c.Flags().Changed(flag)
	}
	for _, flag := range []string{"base", "spec", "min", "latency"} {
		for _, value := range valuesOf(c, flag) {
			name, _, _ := strings.Cut(value, "=")
			given[flag+" "+name] = true
		}
	}
	return given
}

// valuesOf lists the values of a repeatable flag, as they were given.
func valuesOf(c *cobra.Command, name string) []string {
	flag := c.Flags().Lookup(name)
	if flag == nil {
		return nil
	}
	switch value := flag.Value.(type) {
	case *checkflags.Pairs:
		var list []string
		for _, pair := range value.List {
			list = append(list, pair[0]+"="+pair[1])
		}
		return list
	case interface{ GetSlice() []string }:
		return value.GetSlice()
	}
	return nil
}
