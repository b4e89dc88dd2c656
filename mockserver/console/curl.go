package console

import (
	"strings"
)

// curl is a call as a command for a shell.
func (v *view) curl(c call) string {
	scheme := "http://"
	if v.secure {
		scheme = "https://"
	}
	var b strings.Builder
	b.WriteString("curl")
	if c.Method != "GET" {
		b.WriteString(" -X " + quoted(c.Method))
	}
	if v.token != "" && strings.HasPrefix(c.Path, controlPath) {
		b.WriteString(` -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"`)
	}
	for _, line := range c.Header {
		b.WriteString(" -H " + quoted(line[0]+": "+line[1]))
	}
	if len(c.Body) > 0 {
		b.WriteString(" -H 'Content-Type: application/json' --data-raw " + quoted(string(c.Body)))
	}
	return b.String() + " " + quoted(scheme+v.host+c.Path)
}

// quoted returns a word for a POSIX shell.
func quoted(word string) string {
	plain := strings.IndexFunc(word, func(c rune) bool {
		return ('a' > c || c > 'z') && ('A' > c || c > 'Z') && ('0' > c || c > '9') &&
			!strings.ContainsRune("-_./:=@%,+", c)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
