//go:build unix

package main_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
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
	bin       string // the folder of the command, as later steps have it in their path
	variables map[string]string
	inputs    map[string]string // the defaults of action.yml
}

func newJob(t *testing.T) *job { t.Helper(); return newJobOn(t, "Linux") }

// newJobOn returns a job on a system, as far as this one can be taken for it. Its paths have spaces.
func newJobOn(t *testing.T, system string) *job {
	t.Helper()
	j := &job{t: t, dir: filepath.Join(t.TempDir(), "a workspace"), variables: map[string]string{
		"RUNNER_OS": system, "RUNNER_ARCH": "X64", "GITHUB_SERVER_URL": "https://git.example",
		"ACTION_REF": "v1", "ACTION_REPOSITORY": "",
	}}
	temp := filepath.Join(j.dir, ".runner")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH"} {
		j.variables[name] = filepath.Join(temp, name)
	}
	j.variables["RUNNER_TEMP"], j.bin = temp, filepath.Join(temp, "understudy", "bin")
	if system == "Windows" {
		j.bin = `D:\.runner\understudy\bin`
		j.variables["DRIVE"], j.variables["RUNNER_TEMP"] = j.dir, `D:\.runner`
	}
	j.variables["PATH"] = toolsOf(t, system)
	j.inputs = actionInputs(t)
	j.inputs["INPUT_DOWNLOAD"] = "file://" + release(t, system, "")
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
		variable := "INPUT_" + strings.ToUpper(name)
		if want := "${{ inputs." + name + " }}"; action.Runs.Steps[0].Env[variable] != want {
			t.Errorf("the step has %s: %s, want %s", variable, action.Runs.Steps[0].Env[variable], want)
		}
		defaults[variable] = input.Default
	}
	return defaults
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
	cmd.Dir, cmd.Env = j.dir, []string{"HOME=" + j.dir}
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
	for _, system := range []string{"Linux", "macOS", "Windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			servesInTheBackground(t, newJobOn(t, system))
		})
	}
}

func servesInTheBackground(t *testing.T, j *job) {
	t.Helper()
	code, log, outputs := j.use(map[string]string{"INPUT_RECORD": "the traffic.ndjson", "INPUT_ARGS": "--clock=auto\n--seed\n7\n"})
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
	if bin := strings.TrimSpace(j.read(j.variables["GITHUB_PATH"])); bin != j.bin {
		t.Errorf("later steps find commands in %s, want %s", bin, j.bin)
	}
	shell(t, "curl -s -H 'Authorization: SVC1 1/admin' "+variables["UNDERSTUDY_WORKFLOW_URL"]+"/api/pools")

	code, log, outputs = j.use(map[string]string{"INPUT_CHECK": "true", "INPUT_REPORT": "html=an a.html\njunit=b.xml"})
	if code != 0 || outputs["report"] != "an a.html\nb.xml" {
		t.Fatalf("exit code %d, outputs %v\n%s", code, outputs, log)
	}
	for _, name := range []string{"an a.html", "b.xml"} {
		if !strings.Contains(j.read(j.path(name)), "listPools") {
			t.Errorf("%s does not show what was checked", name)
		}
	}
	if lines := strings.Count(j.read(j.path("the traffic.ndjson")), "\n"); lines != 1 {
		t.Errorf("%d exchanges were recorded, want 1", lines)
	}
}

// Commands run with the mock around them, and whichever fails gives the exit code.
func TestActionRunsCommands(t *testing.T) {
	t.Parallel()
	const call = `curl -s -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"
		test -z "${MSYS_NO_PATHCONV-}${MSYS2_ARG_CONV_EXCL-}"`
	for name, c := range map[string]struct {
		with map[string]string
		code int
		log  string
	}{
		"that pass":         {map[string]string{"INPUT_RUN": call, "INPUT_CHECK": "true"}, 0, `"name":"adhoc"`},
		"without a check":   {map[string]string{"INPUT_RUN": "true"}, 0, "understudy "},
		"that fail":         {map[string]string{"INPUT_RUN": call + "\nfalse\ntrue", "INPUT_CHECK": "true"}, 1, ""},
		"with a code":       {map[string]string{"INPUT_RUN": call + "\nexit 7", "INPUT_CHECK": "true"}, 7, ""},
		"but call nothing":  {map[string]string{"INPUT_RUN": "true", "INPUT_CHECK": "true"}, 2, ""},
		"on a bad scenario": {map[string]string{"INPUT_RUN": "true", "INPUT_SCENARIO": "nonsense"}, 2, "nonsense"},
	} {
		for _, system := range []string{"Linux", "macOS", "Windows"} {
			t.Run(name+"/"+system, func(t *testing.T) {
				t.Parallel()
				code, log, _ := newJobOn(t, system).use(c.with)
				if code != c.code || !strings.Contains(log, c.log) {
					t.Errorf("exit code %d, want %d, and %q in\n%s", code, c.code, c.log, log)
				}
			})
		}
	}
}

// The mock of an earlier step ends in order, so that it saves its worlds, and says which CA later steps may trust. That
// it has ended by itself is an error.
func TestActionEndsTheMock(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	with := map[string]string{"INPUT_ARGS": "--tls\n--state\nthe state.json", "INPUT_RECORD": "traffic.ndjson"}
	if code, log, _ := j.use(with); code != 0 {
		t.Fatalf("exit code %d\n%s", code, log)
	}
	variables := parseOutputs(j.read(j.variables["GITHUB_ENV"]))
	if _, answer := get(t, trusting(t, variables["UNDERSTUDY_CA"]),
		variables["UNDERSTUDY_WORKFLOW_URL"]+"/api/pools"); !strings.Contains(answer, "adhoc") {
		t.Errorf("the mock answers %s", answer)
	}
	if code, log, _ := j.use(map[string]string{"INPUT_CHECK": "true"}); code != 0 {
		t.Errorf("exit code %d\n%s", code, log)
	}
	if state := j.read(j.path("the state.json")); !strings.Contains(state, "adhoc") {
		t.Errorf("the state has no pool: %.200s", state)
	}
	t.Run("but not before", func(t *testing.T) {
		t.Parallel()
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip("this machine has no /dev/full")
		}
		j := newJob(t)
		j.inputs["INPUT_RECORD"] = "/dev/full"
		if code, log, _ := j.use(nil); code != 0 {
			t.Fatalf("exit code %d\n%s", code, log)
		}
		variables := parseOutputs(j.read(j.variables["GITHUB_ENV"]))
		get(t, http.DefaultClient, variables["UNDERSTUDY_WORKFLOW_URL"]+"/api/pools") // which is not recorded
		code, log, _ := j.use(map[string]string{"INPUT_CHECK": "true"})
		if code != 2 || !strings.Contains(log, "the mock has ended with exit code 2") {
			t.Errorf("exit code %d\n%s", code, log)
		}
	})
}

func TestActionRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with, machine map[string]string
		want          string
	}{
		"a wrong check":    {map[string]string{"INPUT_CHECK": "yes"}, nil, `check: "yes": want true or false`},
		"nothing to check": {map[string]string{"INPUT_CHECK": "true"}, nil, "there is nothing to check: want record"},
		"another system":   {nil, map[string]string{"RUNNER_OS": "Plan9"}, "no release for the system Plan9"},
		"a false checksum on macOS": {
			map[string]string{"INPUT_DOWNLOAD": "file://" + release(t, "macOS", strings.Repeat("0", 64))},
			map[string]string{"RUNNER_OS": "macOS", "PATH": toolsOf(t, "macOS")},
			"does not have the checksum",
		},
		"another machine":     {nil, map[string]string{"RUNNER_ARCH": "X86"}, "no release for the architecture X86"},
		"no place of release": {map[string]string{"INPUT_DOWNLOAD": ""}, nil, "want download"},
		"no release for ARM": {
			nil, map[string]string{"RUNNER_OS": "macOS", "RUNNER_ARCH": "ARM64"}, "/understudy_darwin_arm64.tar.gz",
		},
		"a missing release": {map[string]string{"INPUT_DOWNLOAD": "file:///nonsense/"}, nil, "cannot download file:///nonsense/checksums.txt"},
		"a flag of serve":   {map[string]string{"INPUT_ARGS": "--nonsense"}, nil, "unknown flag: --nonsense"},
		"a false checksum": {
			map[string]string{"INPUT_DOWNLOAD": "file://" + release(t, "Linux", strings.Repeat("0", 64))}, nil, "does not have the checksum",
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

func TestActionInstallsAgainAfterADamagedArchive(t *testing.T) {
	t.Parallel()
	j, folder, file := newJob(t), t.TempDir(), "understudy_linux_amd64.tar.gz"
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("damaged")), file)
	for name, text := range map[string]string{file: "damaged", "checksums.txt": sums} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, from := range []string{j.inputs["INPUT_DOWNLOAD"], "file://" + folder, j.inputs["INPUT_DOWNLOAD"]} {
		if code, log, _ := j.use(map[string]string{"INPUT_DOWNLOAD": from, "INPUT_RUN": "true"}); (code == 0) != (i != 1) {
			t.Errorf("step %d: exit code %d\n%s", i, code, log)
		}
	}
}
