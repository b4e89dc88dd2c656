package snippet

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellWord returns a text as one word for a POSIX shell, in quotes if it needs them. A mark in it becomes a variable,
// as in Curl. The text must not contain NUL, which no argument of a command can hold.
func ShellWord(text string) string {
	isBare := !strings.ContainsFunc(text, func(c rune) bool {
		return ('a' > c || c > 'z') && ('A' > c || c > 'Z') && ('0' > c || c > '9') && !strings.ContainsRune("-_./:=@%,+", c)
	})
	if isBare && text != "" && text[0] != '=' { // which zsh would expand
		return text
	}
	return (&secrets{}).shellWord(text)
}

// ShellQuoted returns a text as one word for a POSIX shell, always in single quotes, without regard to marks.
func ShellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// shellWord quotes a text. Variables and escaped characters stand outside of the single quotes, in which nothing is
// special but their end.
func (s *secrets) shellWord(text string) string {
	if text == "" {
		return "''"
	}
	var b strings.Builder
	for _, p := range s.split(text) {
		if p.secret > 0 {
			b.WriteString(`"$` + variable(p.secret) + `"`)
		} else {
			quoteShell(&b, p.text)
		}
	}
	return b.String()
}

// quoteShell writes a text in single quotes, and what a page or a terminal would change as printf makes it.
func quoteShell(b *strings.Builder, text string) {
	for text != "" {
		shown, hidden := 0, 0
		for shown < len(text) && sizeOfHidden(text[shown:]) == 0 {
			shown++
		}
		if shown > 0 {
			b.WriteString(ShellQuoted(text[:shown]))
		}
		text = text[shown:]
		for size := sizeOfHidden(text); size > 0; size = sizeOfHidden(text[hidden:]) {
			hidden += size
		}
		if hidden > 0 {
			b.WriteString(`"$(printf '`)
			for _, c := range []byte(text[:hidden]) {
				fmt.Fprintf(b, `\%03o`, c)
			}
			b.WriteString(`')"`)
		}
		text = text[hidden:]
	}
}

// sizeOfHidden returns the length in bytes of the hidden character at the beginning of a text, 0 if that is shown. A
// byte in the middle of a character counts as shown.
func sizeOfHidden(text string) int {
	if text == "" {
		return 0
	}
	c, size := utf8.DecodeRuneInString(text)
	if isHidden(c) || c == utf8.RuneError && size == 1 {
		return size
	}
	return 0
}
