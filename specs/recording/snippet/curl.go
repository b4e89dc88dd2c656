package snippet

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

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

// isHeader reports whether a line is a header. Curl would read some others as names of files.
func isHeader(line [2]string) bool {
	return httpguts.ValidHeaderFieldName(line[0]) && httpguts.ValidHeaderFieldValue(line[1])
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
