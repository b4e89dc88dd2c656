package main_test

import (
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	understudy "svc.example/understudy/cmd/understudy"
)

// tree is a value of a YAML or JSON file whose members keep their order. A value that does not exist is empty.
type tree struct{ node *yaml.Node }

func readTree(t *testing.T, file string) tree {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return tree{document.Content[0]}
}

func (n tree) exists() bool { return n.node != nil }

// text returns a scalar, or an empty string.
func (n tree) text() string {
	if n.node == nil {
		return ""
	}
	return n.node.Value
}

// members returns the names and values of an object.
func (n tree) members() iter.Seq2[string, tree] {
	return func(yield func(string, tree) bool) {
		if n.node == nil || n.node.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.node.Content); i += 2 {
			if !yield(n.node.Content[i].Value, tree{n.node.Content[i+1]}) {
				return
			}
		}
	}
}

// items returns the values of a list.
func (n tree) items() (list []tree) {
	if n.node != nil && n.node.Kind == yaml.SequenceNode {
		for _, item := range n.node.Content {
			list = append(list, tree{item})
		}
	}
	return list
}

func (n tree) texts() (list []string) {
	for _, item := range n.items() {
		list = append(list, item.text())
	}
	return list
}

// at follows names from member to member.
func (n tree) at(names ...string) tree {
	for _, name := range names {
		found := tree{}
		for member, value := range n.members() {
			if member == name {
				found = value
			}
		}
		n = found
	}
	return n
}

// value returns what JSON can be written of, with members in their order.
func (n tree) value(t *testing.T) any {
	t.Helper()
	switch n.node.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.items() {
			list = append(list, item.value(t))
		}
		return list
	case yaml.MappingNode:
		o := object{}
		for name, value := range n.members() {
			o = append(o, member{name, value.value(t)})
		}
		return o
	}
	var scalar any
	if err := n.node.Decode(&scalar); err != nil {
		t.Fatal(err)
	}
	return scalar
}

// schemaWriter writes schemas as tables of their members. The name of a schema is a link to its heading, which begins
// with prefix; a schema that stands in inline is written in place of its name.
type schemaWriter struct {
	prefix string
	inline tree
}

// section writes a named schema under its heading.
func (w schemaWriter) section(level, name string, schema tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s%s\n\n%s\n", level, w.prefix, name, w.remarks(schema))
	if rows := w.rows("", schema); rows != "" {
		b.WriteString("\n| member | type | meaning |\n|---|---|---|\n" + rows)
	} else {
		fmt.Fprintf(&b, "\nType: %s.\n", w.kind(schema))
	}
	return b.String()
}

// rows writes the members of an object, with those of objects within it that have no name.
func (w schemaWriter) rows(before string, schema tree) string {
	var b strings.Builder
	for _, part := range schema.at("allOf").items() {
		if part.at("$ref").exists() {
			fmt.Fprintf(&b, "| `%s…` | %s | The members of this one. |\n", before, w.kind(part))
		}
		b.WriteString(w.rows(before, part))
	}
	required := schema.at("required").texts()
	for name, member := range schema.at("properties").members() {
		if !member.at("description").exists() && !member.at("$ref").exists() && len(member.node.Content) == 0 {
			continue // a name that only another schema gives a meaning
		}
		kind := w.kind(member)
		if slices.Contains(required, name) {
			kind += ", required"
		}
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", before, name, kind, w.remarks(member))
		b.WriteString(w.rows(before+name+".", member))
		b.WriteString(w.rows(before+name+"[].", member.at("items")))
	}
	if others := schema.at("additionalProperties"); others.at("description").exists() || others.at("$ref").exists() {
		fmt.Fprintf(&b, "| `%s…` | %s | %s |\n", before, w.kind(others), w.remarks(others))
	}
	return b.String()
}

// kind says in words which values a schema takes.
func (w schemaWriter) kind(schema tree) string {
	if ref := schema.at("$ref").text(); ref != "" {
		if named := w.inline.at(path.Base(ref)); named.exists() {
			return w.kind(named)
		}
		return w.link(ref)
	}
	if words := schema.at("enum").texts(); words != nil {
		return "`" + strings.Join(words, "`, `") + "`"
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if choices := schema.at(word).items(); choices != nil {
			return w.either(choices)
		}
	}
	if schema.at("if").exists() {
		return w.either([]tree{schema.at("else"), schema.at("then")})
	}
	if items := schema.at("items"); items.exists() && !schema.at("properties").exists() {
		return "list of " + w.kind(items)
	}
	if types := schema.at("type").texts(); types != nil {
		return strings.Join(types, " or ")
	}
	if schema.at("nullable").text() == "true" {
		return schema.at("type").text() + " or null"
	}
	return schema.at("type").text()
}

func (w schemaWriter) either(choices []tree) string {
	var words []string
	for _, choice := range choices {
		words = append(words, w.kind(choice))
	}
	return strings.Join(words, " or ")
}

func (w schemaWriter) link(ref string) string {
	name := path.Base(ref)
	return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(strings.ReplaceAll(w.prefix+name, " ", "-")))
}

// remarks returns what a schema says of itself, and its limits.
func (w schemaWriter) remarks(schema tree) string {
	list := []string{plain(schema.at("description").text())}
	lowest, highest := schema.at("minimum").text(), schema.at("maximum").text()
	switch {
	case lowest != "" && highest != "" && highest != "9007199254740991":
		list = append(list, fmt.Sprintf("From %s to %s.", lowest, highest))
	case lowest != "":
		list = append(list, fmt.Sprintf("At least %s.", lowest))
	}
	if value := schema.at("default"); value.exists() {
		list = append(list, fmt.Sprintf("Default: `%s`.", value.text()))
	}
	if pattern := schema.at("pattern").text(); pattern != "" {
		list = append(list, fmt.Sprintf("Pattern: `%s`.", strings.ReplaceAll(pattern, "|", `\|`)))
	}
	if ref := schema.at("$ref").text(); ref != "" {
		list = append(list, w.remarks(w.inline.at(path.Base(ref))))
	}
	if place := schema.at("x-document").text(); place != "" {
		document, pointer, _ := strings.Cut(place, "#")
		list = append(list, fmt.Sprintf("It must also fit `%s` of `understudy spec %s`.", pointer, document))
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

func fixturesPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(heading("Fixtures", "`scenarios/scenario.schema.json` and `fixtures/fixture.schema.json`", `
A fixture, or a [scenario](scenarios.md), is a YAML or JSON file with the members below. ''understudy schema scenario''
and ''understudy schema fixture'' print the schemas, each in one piece, by which editors complete such files: see
[a scenario of your own](../guide/cookbook.md#make-a-scenario-of-your-own). ''understudy scenarios check'' says what is
wrong in one.
`))
	w := schemaWriter{}
	b.WriteString(w.section("##", "Scenario", readTree(t, "scenarios/scenario.schema.json")))
	schema := readTree(t, "fixtures/fixture.schema.json")
	b.WriteString(w.section("##", "Fixture", schema))
	for name, def := range schema.at("$defs").members() {
		b.WriteString(w.section("##", name, def))
	}
	return b.String()
}

func configurationPage(t *testing.T) string {
	t.Helper()
	schema := readTree(t, "cmd/understudy/understudy.schema.json")
	return heading("Configuration", "`cmd/understudy/understudy.schema.json`", `
''understudy.yaml'' holds settings for the commands that run in its folder. Flags override it.
Paths are relative to the file. ''understudy init'' writes it with all settings, and beside it the schema by which
editors complete it; ''--config FILE'' names another file. The guide to CI shows
[an example](../guide/ci.md#configuration).

| setting | type | meaning |
|---|---|---|
`) + schemaWriter{inline: schema.at("$defs")}.rows("", schema) + serveTable()
}

func serveTable() string {
	var b strings.Builder
	b.WriteString(`
## Serve

Each flag of ` + "`understudy serve`" + ` is also a setting in the section ` + "`serve`" + `, and a variable of the environment. The
command line overrides the environment, which overrides the file. A flag with a value for each
interface is set for each interface by itself; any other list is taken as a whole from one of them.

A list in a variable is separated by commas, or by newlines if it has any, and one of faults only by newlines, as in
` + "`UNDERSTUDY_SPEC=core=core.yaml,workflow=workflow.yaml`" + `; flags without a value take ` + "`true`" + ` and ` + "`false`" + `. A variable that
is empty counts as not set, and variables that are not in the table are ignored. For all commands,
` + "`UNDERSTUDY_CONFIG`" + ` names the file in place of ` + "`--config`" + `.

| flag | setting | variable |
|---|---|---|
`)
	for _, s := range understudy.ServeSettings() {
		fmt.Fprintf(&b, "| `--%s` | `serve.%s` | `%s` |\n", s.Flag, s.Setting, s.Variable)
	}
	return b.String()
}
