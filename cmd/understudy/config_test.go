package main_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/source"
)

// What understudy init writes shows every setting there is, and all of them can be taken as they stand there.
func TestTheConfigurationShowsEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("understudy.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	schemaText, err := os.ReadFile("understudy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := source.Compile("s.json", map[string][]byte{"s.json": schemaText}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(
		"{{.Brand}}", "SVC", "{{quote .Brand}}", "SVC", "{{quote .}}", "x", "{{.}}", "core", `{{if eq . "core"}}/v3{{end}}`,
		"",
	).Replace(string(text))
	plain = regexp.MustCompile(`(?s)\{\{if \.(Bases|Recordings)\}\}.*?\{\{else\}\}`).ReplaceAllString(plain, "")
	plain = regexp.MustCompile(`\{\{.*?\}\}`).ReplaceAllString(plain, "")
	plain = regexp.MustCompile(`(?m)^# ?( *- |  |[a-zA-Z]+:)`).ReplaceAllString(plain, "$1")
	read, err := source.Read("understudy.yaml", []byte(plain))
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	if err := source.Join(read.Check(schema)); err != nil {
		t.Errorf("%v\n%s", err, plain)
	}
	settings, err := source.Read("understudy.schema.json", schemaText)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := os.ReadFile("testdata/understudy.yaml") // in the guide to CI
	if err != nil {
		t.Fatal(err)
	}
	example, err := source.Read("understudy.yaml", shown)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Join(example.Check(schema)); err != nil {
		t.Error(err)
	}
	for name := range settings.Value("properties").(map[string]any) {
		if !read.Has(name) {
			t.Errorf("%s is not shown", name)
		}
	}
}

// Reports of a configuration have every form there is.
func TestConfiguredReportsHaveEveryForm(t *testing.T) {
	t.Parallel()
	reports := readTree(t, "cmd/understudy/understudy.schema.json").at("properties", "reports")
	if diff := cmp.Diff(report.Formats(), reports.at("items", "properties", "format", "enum").texts()); diff != "" {
		t.Errorf("-report +schema:\n%s", diff)
	}
}
