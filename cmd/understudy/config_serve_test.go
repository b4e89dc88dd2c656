package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	understudy "svc.example/understudy/cmd/understudy"
)

// settingOfServe holds three values of a flag: for the command line, the environment and the configuration, and the
// latter as it stands there.
type settingOfServe struct{ flag, variable, file, yaml string }

// settingsOfServe has every flag of serve. DIR is the folder of the configuration.
var settingsOfServe = map[string]settingOfServe{
	"listen":     {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:3"},
	"interfaces": {"core", "llm,core", "core,llm", "[core, llm]"},
	"interface":  {"core=127.0.0.1:1", "core=127.0.0.1:2", "core=127.0.0.1:3", "{core: '127.0.0.1:3'}"},
	"tls":        {"true", "false", "true", "true"},
	"scenario":   {"empty", "jobs-in-flight", "DIR/ours.yaml", "ours.yaml"},
	"scenarios":  {"a", "b", "DIR/c", "c"},
	"clock":      {"frozen", "real", "auto", "auto"},
	"seed":       {"1", "2", "3", "3"},
	"now":        {"2026-01-15T09:30:00Z", "2026-01-15T09:31:00Z", "2026-01-15T09:32:00Z", "2026-01-15T09:32:00Z"},
	"brand":      {"A", "B", "C", "C"},
	"record":     {"a", "b", "DIR/c.ndjson", "c.ndjson"},
	"state":      {"a", "b", "DIR/c.json", "c.json"},
	"validate":   {"off", "strict", "report", "report"},
	"spec":       {"core=a", "core=b", "core=DIR/c", "{core: c}"},
	"overlay":    {"core=a", "core=b", "core=DIR/c", "[core=c]"},
	"fault": {
		"core.issueJob nth=3 status=503", "core.* first=1 status=500\nworkflow.* status=429", "llm.* status=503",
		"['llm.* status=503']",
	},
	"extras":             {"none", "all", "none", "none"},
	"control-token":      {"a", "b", "c", "c"},
	"control-token-file": {"a", "b", "DIR/c", "c"},
	"control-host":       {"a,b", "c,d", "e,f", "[e, f]"},
	"cors":               {"http://a:*,*", "null,http://c", "http://e,http://f", "['http://e', 'http://f']"},
	"target":             {"core=http://a", "core=http://b", "core=http://c", "{core: 'http://c'}"},
	"compare":            {"true", "false", "true", "true"},
	"upstream-ca":        {"a", "b", "DIR/c.pem", "c.pem"},
	"insecure-upstream":  {"true", "false", "true", "true"},
	"upstream-timeout":   {"1s", "2s", "3s", "3s"},
	"journal-limit":      {"1KiB", "2KiB", "3KiB", "3KiB"},
	"history":            {"1", "2", "0", "0"},
	"record-limit":       {"1KiB", "2KiB", "3000", "3000"},
	"state-limit":        {"1KiB", "2KiB", "3KiB", "3KiB"},
	"memory-limit":       {"1KiB", "2KiB", "3KiB", "3KiB"},
	"max-worlds":         {"1", "2", "3", "3"},
	"world-ttl":          {"1s", "2s", "3s", "3s"},
	"write-timeout":      {"1s", "2s", "3s", "3s"},
	"drain-time":         {"1s", "2s", "3s", "3s"},
	"pprof":              {"true", "false", "true", "true"},
	"watch":              {"true", "false", "true", "true"},
	"watch-worlds":       {"keep", "reset", "keep", "keep"},
	"log-level":          {"debug", "info", "warn", "warn"},
	"log-format":         {"text", "json", "text", "text"},
}

// Every flag of serve can be set in three ways, and the command line overrides the environment, and that overrides the
// configuration.
func TestServeIsConfigured(t *testing.T) { //nolint:paralleltest // it sets variables of the environment
	schema := readTree(t, "cmd/understudy/understudy.schema.json").at("properties", "serve", "properties")
	for _, s := range understudy.ServeSettings() { //nolint:paralleltest // likewise
		values, listed := settingsOfServe[s.Flag]
		if !listed || !schema.at(s.Setting).exists() {
			t.Errorf("--%s is missing in the schema as serve.%s, or in this test", s.Flag, s.Setting)
			continue
		}
		t.Run(s.Flag, func(t *testing.T) { values.check(t, s) })
	}
}

// The schema has no settings that are not flags.
func TestServeSettingsAreFlags(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range understudy.ServeSettings() {
		known[s.Setting] = true
	}
	schema := readTree(t, "cmd/understudy/understudy.schema.json").at("properties", "serve", "properties")
	for name := range schema.members() {
		if !known[name] {
			t.Errorf("serve.%s is in the schema, but serve has no such flag", name)
		}
	}
}

func (v settingOfServe) check(t *testing.T, s understudy.ServeSetting) {
	t.Helper()
	dir := t.TempDir()
	file := writeConfig(t, dir, "serve: {"+s.Setting+": "+v.yaml+"}\n")
	arg := func(value string) string { return "--" + s.Flag + "=" + strings.ReplaceAll(value, "DIR", dir) }
	args := func(values string) (list []string) {
		for value := range strings.SplitSeq(values, "\n") {
			list = append(list, arg(value))
		}
		return list
	}
	value := func(args ...string) string {
		t.Helper()
		values, err := understudy.ServeFlags(args...)
		if err != nil {
			t.Fatal(err)
		}
		return values[s.Flag]
	}
	if got, want := value("--config", file), value(arg(v.file)); got != want {
		t.Errorf("by the configuration: %q, want %q", got, want)
	}
	byVariable, byFlag := value(args(v.variable)...), value(arg(v.flag))
	t.Setenv(s.Variable, v.variable)
	if got := value("--config", file); got != byVariable {
		t.Errorf("by the environment and the configuration: %q, want %q", got, byVariable)
	}
	if got := value("--config", file, arg(v.flag)); got != byFlag {
		t.Errorf("by all three: %q, want %q", got, byFlag)
	}
	t.Setenv(s.Variable, "")
	t.Setenv("UNDERSTUDY_CONFIG", file)
	if got, want := value(), value(arg(v.file)); got != want {
		t.Errorf("by a configuration that the environment names: %q, want %q", got, want)
	}
}

func writeConfig(t *testing.T, dir, text string) string {
	t.Helper()
	file := filepath.Join(dir, "understudy.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What is set for one interface leaves the others as they are elsewhere; other lists are taken from one place.
func TestServeSettingsOfInterfaces(t *testing.T) {
	file := writeConfig(t, t.TempDir(), `
brand: ALL
documents: {llm: /all, dwh: /all}
serve:
  brand: OURS
  documents: {core: /file, workflow: /file, llm: /file}
  controlHosts: [file]
  controlToken: file
`)
	t.Setenv("UNDERSTUDY_SPEC", "core=/env\nworkflow=/env,2")
	t.Setenv("UNDERSTUDY_CONTROL_HOST", "a, b")
	t.Setenv("UNDERSTUDY_CONTROL_TOKEN_FILE", "env")
	t.Setenv("UNDERSTUDY_UNKNOWN", "ignored")
	values, err := understudy.ServeFlags("--config", file, "--spec", "core=/flag")
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		"spec":  "core=/flag workflow=/env,2 llm=/file dwh=/all",
		"brand": "OURS", "control-host": "a b", "control-token": "", "control-token-file": "env",
	} {
		if values[flag] != want {
			t.Errorf("--%s is %q, want %q", flag, values[flag], want)
		}
	}
}

func TestMistakesInServeSettings(t *testing.T) {
	t.Setenv("UNDERSTUDY_TLS", "yes")
	t.Setenv("UNDERSTUDY_WORLD_TTL", "1 day")
	t.Setenv("UNDERSTUDY_INTERFACE", "cor=127.0.0.1:1")
	file := writeConfig(t, t.TempDir(), "brand: SVC\nserve:\n  clock: auto\n  maxWorlds: 3\n"+
		"  now: yesterday\n  drainTime: 5 minutes\n  interfaces:\n    core: 127.0.0.1:1\n")
	_, err := understudy.ServeFlags("--config", file)
	for _, want := range []string{
		`UNDERSTUDY_TLS: want true or false, not "yes"`,
		`UNDERSTUDY_WORLD_TTL: want a duration such as 20s, not "1 day"`,
		`understudy.yaml:5: serve.now: want a time such as 2026-01-15T09:30:00Z, not "yesterday"`,
		`understudy.yaml:6: serve.drainTime: want a duration such as 20s, not "5 minutes"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	file = writeConfig(t, t.TempDir(), "serve:\n  lissen: 127.0.0.1:1\n")
	_, err = understudy.ServeFlags("--config", file)
	if want := "understudy.yaml:2: serve.lissen: unknown key: want listen"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// No variable of serve means something else as well.
func TestServeVariablesAreTheirOwn(t *testing.T) {
	t.Parallel()
	taken := []string{
		"UNDERSTUDY_URL", "UNDERSTUDY_CONTROL_URL", "UNDERSTUDY_PROXY_TOKEN", "UNDERSTUDY_KEY", "UNDERSTUDY_CA",
		"UNDERSTUDY_CONFIG", "UNDERSTUDY_ENGINE_MEMORY",
	}
	for _, s := range understudy.ServeSettings() {
		if slices.Contains(taken, s.Variable) || strings.HasSuffix(s.Variable, "_URL") {
			t.Errorf("--%s would be set by %s, which has another meaning", s.Flag, s.Variable)
		}
	}
}
