package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func controlPage(t *testing.T) string {
	t.Helper()
	w := controlWriter{t, readTree(t, "specs/control.yaml"), schemaWriter{prefix: "Body "}}
	var b strings.Builder
	introduction := strings.TrimSpace(w.document.at("info", "description").text())
	b.WriteString(heading("Control interface", "`specs/control.yaml`", "\n"+introduction+"\n\n"+
		"All paths below begin with `/_understudy`. `understudy spec control` prints the OpenAPI document.\n"))
	for _, tag := range w.document.at("tags").items() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", tag.at("name").text(), tag.at("description").text())
		b.WriteString(w.operations(tag.at("name").text()))
	}
	b.WriteString("\n## Bodies\n")
	for name, schema := range w.document.at("components", "schemas").members() {
		b.WriteString(w.schemas.section("###", name, schema))
	}
	return b.String()
}

type controlWriter struct {
	t        *testing.T
	document tree
	schemas  schemaWriter
}

// resolved returns a value, or the one that it refers to.
func (w controlWriter) resolved(n tree) tree {
	if ref := n.at("$ref").text(); ref != "" {
		return w.document.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// operations writes the operations with a tag, in the order of the document.
func (w controlWriter) operations(tag string) string {
	var b strings.Builder
	for path, item := range w.document.at("paths").members() {
		for method, operation := range item.members() {
			if tags := operation.at("tags").texts(); len(tags) == 1 && tags[0] == tag {
				b.WriteString(w.operation(strings.ToUpper(method)+" "+path, operation))
			}
		}
	}
	return b.String()
}

func (w controlWriter) operation(address string, operation tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n`%s` (`%s`)\n\n%s\n", operation.at("summary").text(), address,
		operation.at("operationId").text(), strings.TrimSpace(operation.at("description").text()))
	if list := operation.at("parameters").items(); list != nil {
		b.WriteString("\n| parameter | in | type | meaning |\n|---|---|---|---|\n")
		for _, p := range list {
			p = w.resolved(p)
			schema := p.at("schema")
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s %s |\n", p.at("name").text(), p.at("in").text(), w.schemas.kind(schema),
				plain(p.at("description").text()), w.schemas.remarks(schema))
		}
	}
	b.WriteString(w.request(w.resolved(operation.at("requestBody"))))
	b.WriteString("\n| answer | body | meaning |\n|---|---|---|\n")
	for status, response := range operation.at("responses").members() {
		response = w.resolved(response)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", status, w.bodies(response), plain(response.at("description").text()))
	}
	return b.String()
}

// request writes the body of a request, with its examples.
func (w controlWriter) request(body tree) string {
	if !body.exists() {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nBody: %s. %s\n", w.bodies(body), plain(body.at("description").text()))
	for _, media := range body.at("content").members() {
		if example := media.at("example"); example.exists() {
			b.WriteString(w.example(example))
		}
		for _, example := range media.at("examples").members() {
			fmt.Fprintf(&b, "\n%s:\n%s", example.at("summary").text(), w.example(w.resolved(example).at("value")))
		}
	}
	return b.String()
}

func (w controlWriter) example(value tree) string {
	text, err := json.Marshal(value.value(w.t))
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("\n```json\n%s\n```\n", text)
}

// bodies returns the media types of a message, each with its schema.
func (w controlWriter) bodies(message tree) string {
	var list []string
	for media, content := range message.at("content").members() {
		list = append(list, fmt.Sprintf("%s as `%s`", w.schemas.kind(content.at("schema")), media))
	}
	return strings.Join(list, ", ")
}
