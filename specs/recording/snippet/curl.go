package snippet

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

// maxArgument is the size in bytes up to which a body stands in the command line. Linux takes 128 KiB in one argument.
const maxArgument = 64 << 10

// Curl returns the command for a POSIX shell that sends the request of an exchange again, with a variable in the place
// of each secret: KEY, KEY2 and so on, which it names.
func Curl(e *recording.Exchange, opts ...Option) (command string, keys []string) {
	c, s := newConfig(opts), &secrets{}
	words := []string{"curl -sS -i --globoff --path-as-is"}
	switch e.Request.Method {
	case "GET":
	case "HEAD":
		words[0] += " --head"
	default:
		words[0] += " -X " + s.shellWord(e.Request.Method)
	}
	words[0] += " --url " + s.shellWord(c.url(e))
	words = append(words, curlHeaders(s, e)...)
	var input string
	switch body := bodyOf(e); {
	case len(body) == 0:
	case c.isLong(body):
		words = append(words, "--data-binary "+s.shellWord("@"+c.bodyFile))
	case isArgument(body):
		words = append(words, "--data-raw "+s.shellWord(string(body)))
	default:
		input = "base64 -d <<'END' |\n" + base64Lines(body) + "END\n"
		words = append(words, "--data-binary @-")
	}
	return commented("#", c.notes(e, saveBody)) + input + strings.Join(words, " \\\n  "), s.variables()
}

// curlHeaders returns the options for the headers of a request.
func curlHeaders(s *secrets, e *recording.Exchange) (words []string) {
	hasType := false
	for _, h := range e.Request.Headers {
		hasType = hasType || strings.EqualFold(h[0], "Content-Type")
		switch {
		case isOwnHeader(h[0]) || !isHeader(h):
		case h[1] == "":
			words = append(words, "-H "+s.shellWord(h[0]+";")) // with a colon, curl would leave it out
		default:
			words = append(words, "-H "+s.shellWord(h[0]+": "+h[1]))
		}
	}
	if len(bodyOf(e)) > 0 && !hasType {
		words = append(words, "-H 'Content-Type:'") // curl would say that it is a form
	}
	return words
}

// isOwnHeader reports whether clients set a header by themselves.
func isOwnHeader(name string) bool {
	own := []string{"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect"}
	return strings.HasPrefix(name, ":") || slices.Contains(own, strings.ToLower(name))
}

// RFC 9110, 5.6.2 and 5.5
var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	headerValue = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// isHeader reports whether a line is a header. Curl would read some others as names of files.
func isHeader(line [2]string) bool {
	return headerName.MatchString(line[0]) && headerValue.MatchString(line[1])
}

// isArgument reports whether a body can stand in a command. A tab becomes a call of printf there, all else that is
// hidden a pipe.
func isArgument(body []byte) bool {
	return utf8.Valid(body) && len(body) <= maxArgument &&
		!slices.ContainsFunc([]rune(string(body)), func(c rune) bool { return c != '\t' && isHidden(c) })
}

// base64Lines returns bytes in base64, in lines.
func base64Lines(data []byte) string {
	const width = 76
	var b strings.Builder
	for part := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(data)), width) {
		b.Write(part)
		b.WriteByte('\n')
	}
	return b.String()
}

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
			_, size := utf8.DecodeRuneInString(text[shown:])
			shown += size
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

// sizeOfHidden returns the length in bytes of the hidden character, or the byte of none, at the beginning of a text; 0
// if that is shown.
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
