package console

import (
	"strings"

	"svc.example/understudy/specs/recording/snippet"
)

// curl returns a call as a command for a shell.
func (v *view) curl(c call) string {
	scheme := "http://"
	if v.secure {
		scheme = "https://"
	}
	var b strings.Builder
	b.WriteString("curl")
	if strings.ContainsAny(c.Path, "[]{}") {
		b.WriteString(" --globoff")
	}
	if c.Method != "GET" {
		b.WriteString(" -X " + snippet.ShellWord(c.Method))
	}
	if v.token != "" && strings.HasPrefix(c.Path, controlPath) {
		b.WriteString(` -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"`)
	}
	hasType := false
	for _, line := range c.Header {
		hasType = hasType || line[0] == "Content-Type"
		b.WriteString(" -H " + snippet.ShellWord(line[0]+": "+line[1]))
	}
	if len(c.Body) > 0 {
		if !hasType {
			b.WriteString(" -H 'Content-Type: application/json'")
		}
		b.WriteString(" --data-raw " + snippet.ShellWord(string(c.Body)))
	}
	return b.String() + " " + snippet.ShellWord(scheme+v.host+c.Path)
}
