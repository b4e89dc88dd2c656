package manual

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs/recording/snippet"
)

// scriptLine returns the call as a line of a script. What the next one needs is taken out of its answer, where it is
// the first of its name.
func (c *call) scriptLine() string {
	if c.field == "" {
		return c.curl()
	}
	return "ID=$(" + c.curl() + " |\n  grep -o '\"" + c.field + `":"[^"]*"' | head -n 1 | cut -d '"' -f 4)`
}

// curl returns the call as a command of a POSIX shell.
func (c *call) curl() string {
	standard := DefaultAddress()
	address := standard.URL + "/" + string(c.op.Interface) + c.op.Document.BasePath + c.path
	query, shown := c.query, c.op.Credentials(standard.Key)
	for _, credential := range shown {
		if credential.In == "query" {
			query = append(slices.Clip(query), url.QueryEscape(credential.Name)+"="+url.QueryEscape(credential.Value))
		}
	}
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	lines := []string{compressCommand(c.rows) + "curl -sS " + method(c.op.Method, c.body != "") + quoted(address)}
	for _, credential := range shown {
		switch credential.In {
		case "header":
			lines = append(lines, "-H "+quoted(credential.Name+": "+credential.Value))
		case "cookie":
			lines = append(lines, "-b "+quoted(credential.Name+"="+credential.Value))
		}
	}
	for _, header := range c.header {
		lines = append(lines, "-H "+quoted(header[0]+": "+header[1]))
	}
	switch {
	case c.rows != "":
		lines = append(lines, "--data-binary @-")
	case c.file != "":
		lines = append(lines, "--data-binary @"+c.file)
	case c.body != "":
		lines = append(lines, "-d "+quoted(c.body))
	}
	if c.isBinary() {
		lines = append(lines, "-o "+c.op.ID+".out")
	}
	return strings.Join(lines, " \\\n  ")
}

// compressCommand returns the commands that compress rows for the command after them.
func compressCommand(rows string) string {
	if rows == "" {
		return ""
	}
	text := "'%s\\n' " + quoted(rows)
	if strings.ContainsFunc(rows, func(r rune) bool { return r == utf8.RuneError }) {
		text = "'" + octal(rows) + "'"
	}
	return "printf " + text + " | gzip |\n  "
}

// octal writes bytes as printf of a POSIX shell reads them.
func octal(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}

// method returns the option for a method that curl does not choose by itself.
func method(name string, hasBody bool) string {
	if name == http.MethodGet && !hasBody || name == http.MethodPost && hasBody {
		return ""
	}
	return "-X " + name + " "
}

// quoted returns a text as one word of a shell, which replaces $ID in it.
func quoted(text string) string {
	parts := strings.Split(text, theID)
	for i, part := range parts {
		if part != "" {
			parts[i] = snippet.ShellQuoted(part)
		}
	}
	return strings.Join(parts, `"`+theID+`"`)
}

// isBinary reports whether the answer is nothing to look at in a terminal.
func (c *call) isBinary() bool {
	for status, ref := range c.op.Spec.Responses.Map() {
		if !strings.HasPrefix(status, "2") || ref.Value == nil {
			continue
		}
		for name := range ref.Value.Content {
			if isText := strings.Contains(name, "json") || strings.HasPrefix(name, "text/"); isText {
				return false
			}
		}
		if len(ref.Value.Content) > 0 {
			return true
		}
	}
	return false
}
