package main_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	understudy "svc.example/understudy/cmd/understudy"
)

// What was meant is missing where a value is empty, as when a variable of a script is not set.
func TestEmptyValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want string
	}{
		{"serve --state=", "--state is empty: want FILE, or leave the flag out"},
		{"serve --record=", "--record is empty: want FILE"},
		{"serve --scenario=", "--scenario is empty: want NAME"},
		{"serve --control-host=", "--control-host is empty: want NAME"},
		{"serve --config=", "--config is empty: want FILE"},
		{"serve --control-token-file=", "--control-token-file is empty: want FILE"},
		{"check --baseline= x.har", "--baseline is empty: want FILE"},
		{"check ''", "an argument is empty: want [FILE...]"},
		{"proxy --target core=https://core.example --record=", "--record is empty: want FILE"},
		{"serve --clock=", "want one of real, frozen, auto"},
		{"serve --now=", "want a time such as 2026-01-15T09:30:00Z"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(tt.args)
			for i := range args {
				args[i] = strings.Trim(args[i], "'")
			}
			code, _, stderr := command(t, args...)
			if code != 2 || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit code %d, want 2 and %q:\n%s", code, tt.want, stderr)
			}
		})
	}
}

// Every flag with a text for its value, of every command, refuses an empty one.
func TestNoFlagTakesAnEmptyValue(t *testing.T) {
	t.Parallel()
	for _, path := range understudy.Commands() {
		for _, flag := range understudy.TextFlags(path...) {
			err := understudy.Run(append(path, "--"+flag+"=")...)
			if err == nil || !strings.Contains(err.Error(), "--"+flag) {
				t.Errorf("%s --%s '': error %v, want one that names the flag", strings.Join(path, " "), flag, err)
			}
		}
	}
}

func TestVariablesWithoutEffect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ set, want string }{
		"a typo has a suggestion":         {"UNDERSTUDY_SCENARO=empty", "not one that understudy reads; did you mean UNDERSTUDY_SCENARIO?"},
		"an unknown one is named":         {"UNDERSTUDY_WHATEVER=1", "UNDERSTUDY_WHATEVER is not one that understudy reads\n"},
		"an empty one is named":           {"UNDERSTUDY_STATE=", "UNDERSTUDY_STATE is empty, which counts as not set"},
		"a known one is not":              {"UNDERSTUDY_SCENARIO=empty", ""},
		"an address for a command is not": {"UNDERSTUDY_SHOP_URL=http://127.0.0.1:1", ""},
		"a token for a command is not":    {"UNDERSTUDY_PROXY_TOKEN=x", ""},
		"what Kubernetes sets is not":     {"UNDERSTUDY_PORT_4010_TCP_ADDR=10.0.0.1", ""},
		"a service's port is not":         {"UNDERSTUDY_SERVICE_PORT=4010", ""},
		"other programs' are not":         {"UNDERSTUDYING=1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), "understudy", "schema", "baseline")
			cmd.Env, cmd.Stderr = append(os.Environ(), tt.set), &stderr
			err := cmd.Run()
			if err != nil || !strings.Contains(stderr.String(), tt.want) || tt.want == "" && stderr.String() != "" {
				t.Errorf("%v, want %q:\n%s", err, tt.want, stderr.String())
			}
		})
	}
}

func TestEveryCommandWithSubcommandsRefusesOthers(t *testing.T) {
	t.Parallel()
	groups := [][]string{{"completion"}, {"help"}, {"help", "ca"}}
	parents := map[string]bool{}
	for _, path := range understudy.Commands() {
		if len(path) == 0 {
			continue
		}
		if parent := path[:len(path)-1]; !parents[strings.Join(parent, " ")] {
			parents[strings.Join(parent, " ")] = true
			groups = append(groups, parent)
		}
	}
	for _, group := range groups {
		code, stdout, stderr := command(t, append(slices.Clip(group), "no-such-thing")...)
		if code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%v no-such-thing: exit code %d, want 2\n%s%s", group, code, stdout, stderr)
		}
	}
}

// Values of the wrong type are answered in plain words, not in those of Go's libraries.
func TestWrongValuesOfFlags(t *testing.T) {
	t.Parallel()
	for _, path := range understudy.Commands() {
		for _, flag := range understudy.TypedFlags(path...) {
			if err := understudy.Run(append(path, "--"+flag+"=")...); err == nil {
				t.Errorf("%v --%s takes an empty value", path, flag)
			}
			err := understudy.Run(append(path, "--"+flag+"=what?")...)
			if err == nil || !strings.Contains(err.Error(), "want ") {
				t.Errorf("%v --%s: error %v, want what would be right", path, flag, err)
				continue
			}
			for _, internal := range []string{"strconv.", "2006-01-02", "time: ", "invalid syntax", "parsing"} {
				if strings.Contains(err.Error(), internal) {
					t.Errorf("%v --%s: error %v shows %s", path, flag, err, internal)
				}
			}
		}
	}
}
