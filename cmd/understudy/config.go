package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// configuration holds the settings of a team for all who run understudy in a folder. Nearly all of them are values of
// flags; those on the command line take precedence. Paths are relative to the file.
type configuration struct {
	Latency    map[string]string `json:"latency"`
	Recordings []string          `json:"recordings"`
	Compare    struct {
		Masks []maskLine `json:"masks"`
	} `json:"compare"`

	text *source.Text
}

type maskLine struct {
	Operation string `json:"operation"`
	Pointer   string `json:"pointer"`
	Reason    string `json:"reason"`
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
	for i, path := range c.Recordings {
		c.Recordings[i] = c.beside(path)
	}
	return c, nil
}

// setting is the value of a flag that a configuration sets.
type setting struct {
	flag, value string
	path        []any // of the value in the file; nil: it is from the environment
}

// How a value of the command line and one of the configuration go together.
const (
	instead = iota // the one of the command line is taken
	byName         // so is the one for the same NAME, as in NAME=WHAT
	both           // both are taken; of serve, the one of the command line
)

// settings is the table of the flags that settings outside of the section of serve set, with the places where these
// settings stand. Some are of comparisons alone: they have a baseline of their own, and write no report where a check
// writes its own.
var settings = []struct {
	flag, place string
	together    int
	commands    func(string) bool // nil: all that have the flag
}{
	{"brand", "brand", instead, nil},
	{"trust", "trust", instead, nil},
	{"disputed", "disputed", instead, nil},
	{"undeclared", "undeclared", instead, nil},
	{"engine", "engine", instead, nil},
	{"complete", "complete", instead, nil},
	{"account", "accounts", instead, nil},
	{"baseline", "baseline", instead, isNoComparison},
	{"minimize", "minimize", instead, nil},
	{"base", "bases", byName, nil},
	{"target", "targets", byName, isNotServe},
	{"interfaces", "only", instead, nil},
	{"rewrite", "rewrites", both, nil},
	{"spec", "documents", byName, nil},
	{"overlay", "overlays", both, nil},
	{"severity", "severities", both, nil},
	{"min", "thresholds", byName, nil},
	{"max-inconclusive", "maxInconclusive", instead, nil},
	{"ignore-host", "ignore.hosts", both, nil},
	{"ignore-path", "ignore.paths", both, nil},
	{"ignore-header", "ignore.headers", both, nil},
	{"latency", "latency", byName, nil},
	{"report", "reports", both, isNoComparison},
	{"scenario", "compare.scenario", instead, isComparison},
	{"scenarios", "compare.scenarios", instead, isComparison},
	{"now", "compare.now", instead, isComparison},
	{"tolerance", "compare.tolerance", instead, isComparison},
	{"baseline", "compare.baseline", instead, isComparison},
	{"key", "compare.keys", both, isComparison},
}

func isComparison(command string) bool   { return command == "compare" }
func isNoComparison(command string) bool { return !isComparison(command) }

// isNotServe leaves out serve, whose section has targets of its own: those of all commands are for what stands before
// the real service as a whole.
func isNotServe(command string) bool { return command != serveCommand }

// settings lists the values of flags for a command.
func (c *configuration) settings(command string) (list []setting) {
	for _, row := range settings {
		if row.commands != nil && !row.commands(command) {
			continue
		}
		var path []any
		for key := range strings.SplitSeq(row.place, ".") {
			path = append(path, key)
		}
		list = append(list, c.settingsAt(row.flag, path...)...)
	}
	return slices.DeleteFunc(list, func(s setting) bool { return s.value == "" })
}

// settingsAt returns the values of a flag that stand at a place: one, a list, or one or more for each of some names.
func (c *configuration) settingsAt(flag string, path ...any) (list []setting) {
	if c.text == nil {
		return nil
	}
	switch value := c.text.Value(path...).(type) {
	case nil:
	case []any:
		for i, item := range value {
			list = append(list, setting{flag, c.flagValue(flag, item), append(slices.Clip(path), i)})
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			items, isList := value[name].([]any)
			if !isList {
				items = []any{value[name]}
			}
			for _, item := range items {
				text := c.flagValue(flag, fmt.Sprint(name, "=", item))
				list = append(list, setting{flag, text, append(slices.Clip(path), name)})
			}
		}
	default:
		list = append(list, setting{flag, c.flagValue(flag, value), path})
	}
	return list
}

// flagValue returns a value as its flag takes it. Paths are relative to the working folder then.
func (c *configuration) flagValue(flag string, value any) string {
	if line, isObject := value.(map[string]any); isObject {
		switch name := fmt.Sprint(line["rule"]); flag {
		case "rewrite":
			return fmt.Sprint(line["from"], "=", line["to"])
		case "report":
			file, _ := line["file"].(string)
			return fmt.Sprint(line["format"], "=", c.beside(file))
		case "severity":
			if operation := line["operation"]; operation != nil && operation != "" {
				name += fmt.Sprint("@", operation)
			}
			return fmt.Sprint(name, "=", line["severity"])
		}
	}
	text := fmt.Sprint(value)
	switch name, file, isNamed := checkflags.SplitOverlay(text); {
	case flag != "spec" && flag != "overlay":
	case isNamed:
		return name + "=" + c.beside(file)
	default:
		return c.beside(file)
	}
	if isPath(flag, text) {
		return c.beside(text)
	}
	return text
}

// isPath reports whether the value of a flag is the path of a file. A scenario may also be a name.
func isPath(flag, value string) bool {
	switch flag {
	case "record", "state", "scenarios", "control-token-file", "baseline", "minimize", "upstream-ca":
		return true
	case "engine":
		return value != noEngine
	case "scenario":
		return strings.ContainsAny(value, `/\.`)
	}
	return false
}

// beside returns a path that is relative to the file of the configuration, relative to the working folder.
func (c *configuration) beside(path string) string {
	if path == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.text.File), path)
}

type configKey struct{}

// configurationOf returns the configuration that a command runs with, which may be empty.
func configurationOf(c *cobra.Command) *configuration {
	if config, ok := c.Context().Value(configKey{}).(*configuration); ok {
		return config
	}
	return &configuration{}
}

// configure reads the configuration, and sets the flags of the command that the command line does not: those of serve
// by the environment and by its section of the configuration, then those of all commands by the settings that they
// share.
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
	given := map[string]bool{}
	c.Flags().Visit(func(flag *pflag.Flag) { note(given, c.Name(), flag.Name, valuesOf(c, flag.Name)) })
	var layers [][]setting
	if c.Name() == serveCommand {
		var own []setting
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			own = append(own, config.settingsAt(flag.Name, serveCommand, settingName(flag.Name))...)
		})
		layers = append(layers, environmentSettings(c.Flags()), own)
	}
	var problems []*source.Problem
	var errs []error
	for _, layer := range append(layers, config.settings(c.Name())) {
		for _, s := range layer {
			switch err := s.set(c.Flags(), given); {
			case err != nil && s.path == nil:
				errs = append(errs, fmt.Errorf("%s: %w", variableName(s.flag), err))
			case err != nil:
				problems = append(problems, config.text.Problem(s.path, "%v", err))
			}
		}
		for _, s := range layer {
			note(given, c.Name(), s.flag, []string{s.value})
		}
	}
	return errors.Join(append(errs, source.Join(problems))...)
}

// note notes that a flag of a command is given, as a whole or for some names. The token and its file are one setting.
func note(given map[string]bool, command, flag string, values []string) {
	together := instead
	for _, row := range settings {
		if row.flag == flag {
			together = row.together
		}
	}
	switch {
	case together == byName, flag == "interface":
		for _, value := range values {
			name, _, _ := strings.Cut(value, "=")
			given[flag+" "+name] = true
		}
	case together == both && command != serveCommand:
	case flag == "control-token", flag == "control-token-file":
		given["control-token"], given["control-token-file"] = true, true
	default:
		given[flag] = true
	}
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

// serveCommand is the name of the command that a section of the configuration and the environment configure as well.
const serveCommand = "serve"

// The names of settings of serve that differ from the names of their flags: those that may be given several times.
var serveNames = map[string]string{
	"interface": "interfaces", "interfaces": "only", "spec": "documents", "overlay": "overlays",
	"control-host": "controlHosts", "cors": "cors", "fault": "faults", "target": "targets",
}

// settingName returns the name that a flag of serve has in the configuration: that of the flag, in camel case.
func settingName(flag string) string {
	if name := serveNames[flag]; name != "" {
		return name
	}
	words := strings.Split(flag, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// variableName returns the name of the environment variable that sets a flag of serve.
func variableName(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// set sets the flag, unless it is given or the command has none of its name.
func (s setting) set(flags *pflag.FlagSet, given map[string]bool) error {
	flag := flags.Lookup(s.flag)
	if name, _, _ := strings.Cut(s.value, "="); flag == nil || given[s.flag] || given[s.flag+" "+name] {
		return nil
	}
	if s.value == "" {
		return errors.New("it is empty: want a value, or leave it out")
	}
	err := flag.Value.Set(s.value)
	if err == nil {
		flag.Changed = true
		return nil
	}
	if want := wanted[flag.Value.Type()]; want != "" {
		return fmt.Errorf("want %s, not %q", want, s.value)
	}
	return err
}

// wanted says which values the types of flags take whose own errors do not.
var wanted = map[string]string{
	"bool": "true or false", "duration": "a duration such as 20s", "int": "an integer", "float64": "a number",
	"uint64": "an integer from 0", "time": "a time such as 2026-01-15T09:30:00Z",
}

// variables lists the variables of the environment that commands read or set, but for those that configure serve.
var variables = []string{configVariable, urlVariable, keyVariable, tokenVariable, proxyTokenVariable, caVariable}

// forOthers matches variables of other programs: the addresses that serve and proxy give to their commands, and what
// Kubernetes says of a service that is called understudy.
var forOthers = regexp.MustCompile(`^UNDERSTUDY_(\w+_URL|(\w+_)?(SERVICE_HOST|SERVICE_PORT\w*|PORT(_\d+_\w+)?))$`)

// warnOfVariables warns of variables of the environment that look like ours and have no effect: their names are
// unknown, or their values empty.
func warnOfVariables(c *cobra.Command) {
	known := slices.Clone(variables)
	for _, sub := range c.Root().Commands() {
		if sub.Name() == serveCommand {
			sub.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, variableName(flag.Name)) })
		}
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		why := ""
		switch isKnown := slices.Contains(known, name); {
		case !strings.HasPrefix(name, variablePrefix), isKnown && value != "", !isKnown && forOthers.MatchString(name):
			continue
		case isKnown:
			why = "is empty, which counts as not set"
		default:
			why = "is not one that understudy reads"
			if near, is := source.Nearest(name[len(variablePrefix):], withoutPrefix(known)); is {
				why += "; did you mean " + variablePrefix + near + "?"
			}
		}
		fmt.Fprintf(c.ErrOrStderr(), "understudy: the environment variable %s %s\n", name, why)
	}
}

func withoutPrefix(names []string) (list []string) {
	for _, name := range names {
		list = append(list, strings.TrimPrefix(name, variablePrefix))
	}
	return list
}

const variablePrefix = "UNDERSTUDY_"

// environmentSettings returns the values of flags that the environment has.
func environmentSettings(flags *pflag.FlagSet) (list []setting) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "config" {
			return
		}
		value := os.Getenv(variableName(flag.Name))
		values := []string{value}
		if isList(flag) {
			values = splitList(flag.Name, value)
		}
		for _, value := range values {
			if value != "" {
				list = append(list, setting{flag: flag.Name, value: value})
			}
		}
	})
	return list
}

// isList reports whether a flag may be given several times.
func isList(flag *pflag.Flag) bool { return serveNames[flag.Name] != "" }

// splitList returns the items of a list: its lines, if it has several, and otherwise what stands between commas, which
// a fault may have within.
func splitList(flag, text string) (list []string) {
	separator := ","
	if flag == "fault" || strings.Contains(text, "\n") {
		separator = "\n"
	}
	for item := range strings.SplitSeq(text, separator) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}
