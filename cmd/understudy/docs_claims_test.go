package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	understudy "svc.example/understudy/cmd/understudy"
	"svc.example/understudy/specs"
)

// features are what the help of the commands and the document of the control interface list: names as they are written,
// and the words of which they are made.
type features struct {
	flags map[string]bool  // of any command, such as --fault
	vars  map[string]bool  // of the environment, such as UNDERSTUDY_URL
	goAPI string           // the exported names of the packages that users import
	paths []*regexp.Regexp // of the control interface, such as /worlds/{world}/faults, and the same for the world default
	words map[string]bool  // such as proxy, fault and stub, in the singular
}

var (
	flagOfHelp  = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z][-a-z0-9]*)`)
	plainWord   = regexp.MustCompile(`[A-Za-z]+`)
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	controlSpan = regexp.MustCompile(`^(?:[A-Z]+ )?/_understudy/([^ ?#]*)`)
	variable    = regexp.MustCompile(`\bUNDERSTUDY_[A-Z_]*[A-Z]\b`)
	goName      = regexp.MustCompile(`^(?:(?:mockserver|contract|fixtures|recording|report|World|Server|Transport)\.(?:\w+\.)?|(?:With))(\w+)`)
	parameter   = regexp.MustCompile(`\{[^}]*\}`)
)

func listFeatures(t *testing.T) features {
	t.Helper()
	f := features{flags: map[string]bool{}, words: map[string]bool{}}
	f.vars = map[string]bool{"UNDERSTUDY_CA": true, "UNDERSTUDY_SHOP_URL": true} // of serve --tls, and of serve --spec shop=FILE
	for _, setting := range understudy.ServeSettings() {
		f.vars[setting.Variable] = true
	}
	for _, name := range specs.InterfaceNames() {
		f.vars["UNDERSTUDY_"+strings.ToUpper(name)+"_URL"] = true
	}
	files, err := filepath.Glob("testdata/api/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f.goAPI += string(text)
	}
	for _, args := range understudy.Commands() {
		help, err := understudy.Help(args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range flagOfHelp.FindAllStringSubmatch(help, -1) {
			f.flags[found[1]] = true
			f.add(found[1])
		}
		for _, name := range variable.FindAllString(help, -1) {
			f.vars[name] = true
		}
		f.add(strings.Join(args, " "))
	}
	for path := range readTree(t, "specs/control.yaml").at("paths").members() {
		form := strings.ReplaceAll(regexp.QuoteMeta(parameter.ReplaceAllString(path, "{}")), `\{\}`, `[^/]+`)
		ofDefault := strings.TrimPrefix(form, "/worlds/[^/]+")
		f.paths = append(f.paths, regexp.MustCompile("^("+form+"|"+ofDefault+")$"))
		f.add(parameter.ReplaceAllString(path, ""))
	}
	return f
}

func (f features) add(names string) {
	for _, word := range plainWord.FindAllString(names, -1) {
		f.words[singular(word)] = true
	}
}

func singular(word string) string { return strings.TrimSuffix(strings.ToLower(word), "s") }

// hasPath reports whether the control interface has a path, or has it for the world default.
func (f features) hasPath(path string) bool {
	form := "/" + strings.TrimSuffix(path, "/")
	return slices.ContainsFunc(f.paths, func(known *regexp.Regexp) bool { return known.MatchString(form) })
}

// denied returns the words of a text that name features.
func (f features) denied(text string) (words []string) {
	for _, word := range plainWord.FindAllString(text, -1) {
		if f.words[singular(word)] {
			words = append(words, word)
		}
	}
	return words
}

// Flags, commands, variables, paths and Go names that a page has in its prose and tables exist.
func TestNamesInPagesExist(t *testing.T) {
	t.Parallel()
	f := listFeatures(t)
	others := map[string]string{ // flags of other programs, by page
		"docs/guide/container.md":   "--format --user",
		"docs/guide/coming-from.md": "--dynamic",

		"docs/reference/generators.md": "--default-non-nullable=false",
		"docs/reference/secrets.md":    "--name", // any
	}
	checked := 0
	for name, text := range pages(t) {
		for _, span := range codeSpan.FindAllStringSubmatch(prose(text), -1) {
			checked++
			code := span[1]
			for _, read := range variable.FindAllString(code, -1) {
				if !f.vars[read] {
					t.Errorf("%s: no command reads or sets %s", name, read)
				}
			}
			switch {
			case code == "understudy --version", strings.HasPrefix(code, "understudy completion "): // of cobra
			case goName.MatchString(code):
				if found := goName.FindStringSubmatch(code); !regexp.MustCompile(`\b(With)?` + found[1] + `\b`).MatchString(f.goAPI) {
					t.Errorf("%s: no package exports %s", name, code)
				}
			case strings.HasPrefix(code, "understudy "):
				checkFlags(t, name, code)
			case strings.HasPrefix(code, "--") && len(code) > 2 && name != "docs/guide/beam.md":
				flag := flagOfHelp.FindString(" " + code)
				if flag = strings.TrimSpace(flag); !f.flags[flag] && !strings.Contains(others[name], flag) {
					t.Errorf("%s: no command has the flag %s", name, code)
				}
			case controlSpan.MatchString(code) && !strings.Contains(code, "…"):
				path := controlSpan.FindStringSubmatch(code)[1]
				if path != "" && !strings.HasPrefix(path, "console/") && !strings.HasPrefix(path, "debug/") && !f.hasPath(path) {
					t.Errorf("%s: the control interface has no %s", name, code)
				}
			}
		}
	}
	if checked < 1000 {
		t.Errorf("the pages name only %d things", checked)
	}
}

// denials returns what the prose and the tables of a page say that there is not, although the features list it.
func (f features) denials(text string) (found []string) {
	for line := range strings.Lines(prose(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) > 3 && strings.Contains(line, "*none*") {
			if words := f.denied(cells[1]); words != nil {
				found = append(found, strings.TrimSpace(cells[1])+": *none*, but "+strings.Join(words, ", "))
			}
		}
	}
	sentences := strings.Join(strings.Fields(prose(text)), " ")
	for _, sentence := range hasNo.FindAllStringSubmatch(sentences, -1) {
		if words := f.denied(sentence[1]); words != nil {
			found = append(found, sentence[0])
		}
	}
	return found
}

// hasNo finds what a subject that can only be this program is said to lack.
var hasNo = regexp.MustCompile(`(?:The|the) (?:server|mock|checker|transport|console|proxy|command)s? (?:has|have|knows?|takes?|supports?|offers?) no (\w+(?:(?:,| and| or) \w+)*)`)

// No page denies what the help of a command or the control interface lists.
func TestNoPageDeniesAFeature(t *testing.T) {
	t.Parallel()
	f := listFeatures(t)
	// What is lacking all the same, each with the place that shows it.
	so := map[string]string{
		"The transport has no SQL": "mockserver/query/sqlite",
	}
	for name, text := range pages(t) {
		for _, denial := range f.denials(text) {
			if shown, ok := so[denial]; !ok {
				t.Errorf("%s says %q", name, denial)
			} else if _, err := os.Stat(filepath.Join(root, shown)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, text := range []string{
		"| `prism proxy`, which reports violations | *none* | record |\n",
		"| stub mapping | *none* | in Go |\n",
		"| delays and faults | *none* | in Go |\n",
		"In Go, a responder gives any answer. The server has no faults and\ndelays for other operations.\n",
	} {
		if f.denials(text) == nil {
			t.Errorf("this denies a feature, and is not found: %s", text)
		}
	}
}

// A question that is answered with no has a test that shows it.
func TestWhatIsAnsweredWithNoIsTested(t *testing.T) {
	t.Parallel()
	shown := map[string]string{
		"Do I need `understudy-libopenapi`?": "commands/scripts/engine.txtar",
	}
	questions := regexp.MustCompile(`(?m)^## (.*\?)\n\nNo\b`)
	for _, found := range questions.FindAllStringSubmatch(pages(t)["docs/guide/faq.md"], -1) {
		file, ok := shown[found[1]]
		if !ok {
			t.Errorf("%q is answered with no: name what shows it", found[1])
		} else if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
