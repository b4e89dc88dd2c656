package main_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	understudy "svc.example/understudy/cmd/understudy"
)

var (
	blocks       = regexp.MustCompile("(?ms)^ *```(\\w*)(?: ([^\n]*))?\n(.*?)^ *```$")
	howTested    = regexp.MustCompile(`^(run|serve|project|ready|shown|file=\S+)$`)
	startProcess = regexp.MustCompile(`Start-Process .*-ArgumentList `)
	invoked      = regexp.MustCompile(`(?m)(?:^ *|[|&] *|\.\\)understudy(?:\.exe)? ([^|}&\n]*)`)
)

// TestEveryBlockSaysHowItIsTested wants the word behind the language of each block, except in pages that are generated.
func TestEveryBlockSaysHowItIsTested(t *testing.T) {
	t.Parallel()
	for name, text := range pages(t) {
		if strings.Contains(text, "UPDATE=1 go test ./cmd/understudy -run TestGeneratedPages") {
			continue
		}
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			if !howTested.MatchString(block[2]) {
				t.Errorf("%s: a block of %q is not tested: want a word behind it, see CONTRIBUTING.md\n%.200s",
					name, block[1], block[3])
			}
		}
	}
}

// TestShownBlocksCanBeRead reads what no test runs, and wants the commands in it to have the flags that it gives them.
func TestShownBlocksCanBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range pages(t) {
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			if block[2] != "shown" {
				continue
			}
			if err := parseBlock(t, block[1], block[3]); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, block[3])
			}
			if block[1] == "sh" || block[1] == "powershell" {
				checkFlags(t, name, block[3])
			}
		}
	}
}

// parseBlock returns an error if a text is not in a language.
func parseBlock(t *testing.T, language, text string) error {
	t.Helper()
	switch language {
	case "sh":
		output(t, t.TempDir(), "sh", "-n", "-c", text)
		return nil
	case "yaml":
		var value any
		return yaml.Unmarshal([]byte(text), &value)
	case "go":
		_, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", 0)
		return err
	}
	return nil
}

// checkFlags holds the flags of commands in a text for a shell against the help of the commands.
func checkFlags(t *testing.T, name, text string) {
	t.Helper()
	text = startProcess.ReplaceAllString(strings.NewReplacer("\\\n", " ", "`\n", " ", "', '", " ", "'", "").Replace(text), "&understudy ")
	for _, found := range invoked.FindAllStringSubmatch(text, -1) {
		words, _, _ := strings.Cut(found[1]+" ", " -- ")
		args := strings.Fields(words)
		n := 0
		for n < len(args) && slices.ContainsFunc(understudy.Commands(), func(path []string) bool { return slices.Equal(path, args[:n+1]) }) {
			n++
		}
		help, err := understudy.Help(args[:n]...)
		if n == 0 || err != nil {
			t.Errorf("%s: no command in %q, error %v", name, found[0], err)
			continue
		}
		for _, arg := range args[n:] {
			flag, _, _ := strings.Cut(arg, "=")
			if strings.HasPrefix(flag, "--") && !strings.Contains(help, flag+" ") {
				t.Errorf("%s: understudy %s has no flag %s", name, strings.Join(args[:n], " "), flag)
			}
		}
	}
}

// The files for other systems of CI run what they say, beside tests that ask the mock for something.
func TestPipelinesOfOtherSystems(t *testing.T) {
	t.Parallel()
	const client = `curl -s -o pools.json -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"`
	for file, line := range map[string]*regexp.Regexp{
		"jenkins/Jenkinsfile":  regexp.MustCompile(`(?m)^ +sh '(.*)'$`),
		"gitlab/gitlab-ci.yml": regexp.MustCompile(`(?m)^    - (understudy .*)$`),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(root, "examples", file))
			if err != nil {
				t.Fatal(err)
			}
			script := []string{"cat > test.sh <<'END'\n" + client + "\nEND"}
			for _, found := range line.FindAllStringSubmatch(string(text), -1) {
				script = append(script, found[1])
			}
			if len(script) != 3 {
				t.Fatalf("it has %d commands, want 2", len(script)-1)
			}
			if report := shell(t, strings.Join(append(script, "cat contract.xml"), "\n")); !strings.Contains(report, "workflow.listPools") {
				t.Errorf("the report does not show what was checked:\n%s", report)
			}
		})
	}
}
