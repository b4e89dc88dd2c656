//go:build unix

package main_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// job is a job of GitHub Actions on a machine of its own, in which steps use action.yml.
type job struct {
	t         *testing.T
	dir       string // the workspace; what the runner keeps is in its folder .runner
	variables map[string]string
	inputs    map[string]string // the defaults of action.yml
}

func newJob(t *testing.T) *job {
	t.Helper()
	for _, program := range []string{"/usr/bin/curl", "bash", "tar", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("this machine has no %s", program)
		}
	}
	_, path, _ := strings.Cut(os.Getenv("PATH"), ":") // without the folder of the commands that tests stand in for
	j := &job{t: t, dir: t.TempDir(), variables: map[string]string{
		"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "GITHUB_SERVER_URL": "https://git.example",
		"ACTION_REF": "v1", "ACTION_REPOSITORY": "", "PATH": path,
	}}
	j.variables["RUNNER_TEMP"] = filepath.Join(j.dir, ".runner")
	for _, name := range []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH"} {
		j.variables[name] = filepath.Join(j.dir, ".runner", name)
	}
	if err := os.Mkdir(j.variables["RUNNER_TEMP"], 0o700); err != nil {
		t.Fatal(err)
	}
	j.inputs = actionInputs(t)
	j.inputs["DOWNLOAD"] = "file://" + release(t, "")
	return j
}

// actionInputs returns the defaults of the inputs of action.yml, by the variables that its step gives to the script.
func actionInputs(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct{ Env map[string]string }
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for name, input := range action.Inputs {
		variable := strings.ToUpper(name)
		if want := "${{ inputs." + name + " }}"; action.Runs.Steps[0].Env[variable] != want {
			t.Errorf("the step has %s: %s, want %s", variable, action.Runs.Steps[0].Env[variable], want)
		}
		defaults[variable] = input.Default
	}
	return defaults
}

// release returns a folder with a release for Linux on amd64, whose command is the one under test. A checksum that is
// not empty is given instead of the archive's.
func release(t *testing.T, checksum string) string {
	t.Helper()
	program, err := exec.LookPath("understudy")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "understudy_linux_amd64.tar.gz")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + program + "' \"$@\"\n"
	zipped := gzip.NewWriter(file)
	packed := tar.NewWriter(zipped)
	err = packed.WriteHeader(&tar.Header{Name: "understudy", Mode: 0o755, Size: int64(len(script))})
	_, wrote := io.WriteString(packed, script)
	if err := errors.Join(err, wrote, packed.Close(), zipped.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if checksum == "" {
		checksum = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	list := checksum + "  understudy_linux_amd64.tar.gz\n"
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// use runs a step that uses the action, and returns its exit code, what it prints, and its outputs.
func (j *job) use(with map[string]string) (code int, log string, outputs map[string]string) {
	j.t.Helper()
	inputs := maps.Clone(j.inputs)
	maps.Copy(inputs, with)
	if err := os.WriteFile(j.variables["GITHUB_OUTPUT"], nil, 0o600); err != nil {
		j.t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join(root, ".github/action.sh"))
	if err != nil {
		j.t.Fatal(err)
	}
	cmd := exec.CommandContext(j.t.Context(), "bash", script)
	cmd.Dir, cmd.Env = j.dir, os.Environ()
	for _, list := range []map[string]string{j.variables, inputs} {
		for name, value := range list {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		j.t.Fatal(err)
	}
	return code, string(out), parseOutputs(j.read(j.variables["GITHUB_OUTPUT"]))
}

// parseOutputs reads NAME=VALUE lines, and NAME<<END with lines up to END.
func parseOutputs(text string) map[string]string {
	outputs := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(text, -1) {
		outputs[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+)<<([^\n]+)\n(.*?)\n?^end of`).FindAllStringSubmatch(text, -1) {
		outputs[m[1]] = m[3]
	}
	return outputs
}

func (j *job) read(name string) string {
	j.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		j.t.Fatal(err)
	}
	return string(text)
}

func (j *job) path(name string) string { return filepath.Join(j.dir, name) }

func TestActionServesInTheBackgroundUntilItChecks(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	code, log, outputs := j.use(map[string]string{"RECORD": "traffic.ndjson", "ARGS": "--clock=auto\n--seed\n7\n"})
	if code != 0 || !strings.HasPrefix(outputs["url"], "http://127.0.0.1:") {
		t.Fatalf("exit code %d, outputs %v\n%s", code, outputs, log)
	}
	variables := parseOutputs(j.read(j.variables["GITHUB_ENV"]))
	names := slices.Sorted(maps.Keys(variables))
	want := []string{
		"UNDERSTUDY_AUDIENCE_URL", "UNDERSTUDY_CONTROL_URL", "UNDERSTUDY_CORE_URL", "UNDERSTUDY_DWH_URL",
		"UNDERSTUDY_INGESTION_URL", "UNDERSTUDY_LLM_URL", "UNDERSTUDY_URL", "UNDERSTUDY_WORKFLOW_URL",
	}
	if !slices.Equal(names, want) || variables["UNDERSTUDY_CORE_URL"] != outputs["url"]+"/core/v3" {
		t.Errorf("later steps have %v", variables)
	}
	shell(t, "curl -s -H 'Authorization: SVC1 1/admin' "+variables["UNDERSTUDY_WORKFLOW_URL"]+"/api/pools")

	code, log, outputs = j.use(map[string]string{"CHECK": "true", "REPORT": "html=a.html\njunit=b.xml"})
	if code != 0 || outputs["report"] != "a.html\nb.xml" {
		t.Fatalf("exit code %d, outputs %v\n%s", code, outputs, log)
	}
	for _, name := range []string{"a.html", "b.xml"} {
		if !strings.Contains(j.read(j.path(name)), "listPools") {
			t.Errorf("%s does not show what was checked", name)
		}
	}
	if lines := strings.Count(j.read(j.path("traffic.ndjson")), "\n"); lines != 1 {
		t.Errorf("%d exchanges were recorded, want 1", lines)
	}
}

// Commands run with the mock around them, and whichever fails gives the exit code.
func TestActionRunsCommands(t *testing.T) {
	t.Parallel()
	const call = `curl -s -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"`
	for name, c := range map[string]struct {
		with map[string]string
		code int
		log  string
	}{
		"that pass":         {map[string]string{"RUN": call, "CHECK": "true"}, 0, `"name":"adhoc"`},
		"without a check":   {map[string]string{"RUN": "true"}, 0, "understudy "},
		"that fail":         {map[string]string{"RUN": call + "\nfalse\ntrue", "CHECK": "true"}, 1, ""},
		"with a code":       {map[string]string{"RUN": call + "\nexit 7", "CHECK": "true"}, 7, ""},
		"but call nothing":  {map[string]string{"RUN": "true", "CHECK": "true"}, 2, ""},
		"on a bad scenario": {map[string]string{"RUN": "true", "SCENARIO": "nonsense"}, 2, "nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, log, _ := newJob(t).use(c.with)
			if code != c.code || !strings.Contains(log, c.log) {
				t.Errorf("exit code %d, want %d, and %q in\n%s", code, c.code, c.log, log)
			}
		})
	}
}

func TestActionRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with, machine map[string]string
		want          string
	}{
		"a wrong check":       {map[string]string{"CHECK": "yes"}, nil, `check: "yes": want true or false`},
		"nothing to check":    {map[string]string{"CHECK": "true"}, nil, "there is nothing to check: want record"},
		"another system":      {nil, map[string]string{"RUNNER_OS": "Plan9"}, "no release for the system Plan9"},
		"another machine":     {nil, map[string]string{"RUNNER_ARCH": "X86"}, "no release for the architecture X86"},
		"no place of release": {map[string]string{"DOWNLOAD": ""}, nil, "want download"},
		"a missing release":   {map[string]string{"DOWNLOAD": "file:///nonsense/"}, nil, "cannot download file:///nonsense/checksums.txt"},
		"a flag of serve":     {map[string]string{"ARGS": "--nonsense"}, nil, "unknown flag: --nonsense"},
		"a false checksum": {
			map[string]string{"DOWNLOAD": "file://" + release(t, strings.Repeat("0", 64))}, nil, "does not have the checksum",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			maps.Copy(j.variables, c.machine)
			code, log, _ := j.use(c.with)
			if code != 2 || !strings.Contains(log, "::error title=Understudy::") || !strings.Contains(log, c.want) {
				t.Errorf("exit code %d, want 2, and %q in\n%s", code, c.want, log)
			}
		})
	}
}
