package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/specs/source"
)

// serveCommand is the name of the command that a section of the configuration and the environment configure as well.
const serveCommand = "serve"

// The names of settings of serve that differ from the names of their flags: those that may be given several times.
var serveNames = map[string]string{
	"interface": "interfaces", "interfaces": "only", "spec": "documents", "overlay": "overlays",
	"control-host": "controlHosts", "fault": "faults",
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

// layer holds the values of flags from one source: the environment, or a configuration.
type layer struct {
	settings []setting
	text     *source.Text // nil: the environment
}

// configureServe sets the flags of serve that the command line does not: by the environment, then by the section serve
// of the configuration, then by the settings there that all commands share. Flags with a value per interface are set
// for each interface by itself.
func configureServe(c *cobra.Command, config *configuration) error {
	given := map[string]bool{}
	c.Flags().Visit(func(flag *pflag.Flag) { note(given, flag.Name, valuesOf(c, flag.Name)) })
	layers := []layer{{settings: environmentSettings(c.Flags())}}
	if config.text != nil {
		layers = append(layers, layer{config.serveSettings(c.Flags()), config.text},
			layer{config.settings(serveCommand), config.text})
	}
	var problems []*source.Problem
	var errs []error
	for _, l := range layers {
		for _, s := range l.settings {
			err := s.set(c.Flags(), given)
			switch {
			case err != nil && l.text == nil:
				errs = append(errs, fmt.Errorf("%s: %w", variableName(s.flag), err))
			case err != nil:
				problems = append(problems, l.text.Problem(s.path, "%v", err))
			}
		}
		for _, s := range l.settings {
			note(given, s.flag, []string{s.value})
		}
	}
	return errors.Join(append(errs, source.Join(problems))...)
}

// note notes that a flag is given: for some interfaces, if it has a value for each, and otherwise as a whole. The token
// and its file are one setting.
func note(given map[string]bool, flag string, values []string) {
	switch flag {
	case "interface", "spec":
		for _, value := range values {
			name, _, _ := strings.Cut(value, "=")
			given[flag+" "+name] = true
		}
	case "control-token", "control-token-file":
		given["control-token"], given["control-token-file"] = true, true
	default:
		given[flag] = true
	}
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

// serveSettings returns the values of flags in the section serve.
func (c *configuration) serveSettings(flags *pflag.FlagSet) (list []setting) {
	flags.VisitAll(func(flag *pflag.Flag) {
		list = append(list, c.settingsAt(flag.Name, serveCommand, settingName(flag.Name))...)
	})
	return list
}
