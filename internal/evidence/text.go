package evidence

import (
	"strings"
	"unicode"
)

// Plain returns a text of a stranger's on one line, without what would change how the rest is shown: control
// characters, and those that change the direction of writing.
func Plain(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n', c == '\t', c == '\r':
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Bidi_Control, c):
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// Visible returns a text as Plain does, with its lines.
func Visible(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}

// Short returns the beginning of a text, at most so many runes of it.
func Short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
