package report

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"svc.example/understudy/specs/recording"
)

// marked matches the mark that replaces a secret, in a query with its brackets escaped.
var marked = regexp.MustCompile(`(?:\[|%5B)redacted(?::|%3A)[0-9a-f]{8}(?:\]|%5D)`)

// maxArgument is the size in bytes up to which a body stands in the command line. Linux takes 128 KiB in one argument.
const maxArgument = 64 << 10

// Curl returns the command for a POSIX shell that sends the request of an exchange again, with a variable in the place
// of each secret: KEY, KEY2 and so on, which it names.
func Curl(e *recording.Exchange) (command string, keys []string) {
	q := &quoter{}
	words := []string{"curl -sS -i --globoff --path-as-is"}
	switch e.Request.Method {
	case "GET":
	case "HEAD":
		words[0] += " --head"
	default:
		words[0] += " -X " + q.quote(e.Request.Method)
	}
	words[0] += " --url " + q.quote(e.Request.URL)
	hasType := false
	for _, h := range e.Request.Headers {
		hasType = hasType || strings.EqualFold(h[0], "Content-Type")
		switch {
		case isOwnHeader(h[0]) || !isHeader(h):
		case h[1] == "":
			words = append(words, "-H "+q.quote(h[0]+";")) // with a colon, curl would leave it out
		default:
			words = append(words, "-H "+q.quote(h[0]+": "+h[1]))
		}
	}
	var input string
	if body := e.Request.Body; body != nil && len(body.Bytes) > 0 {
		if !hasType {
			words = append(words, "-H 'Content-Type:'") // curl would say that it is a form
		}
		if isArgument(body.Bytes) {
			words = append(words, "--data-raw "+q.quote(string(body.Bytes)))
		} else {
			input = "base64 -d <<'END' |\n" + base64Lines(body.Bytes) + "END\n"
			words = append(words, "--data-binary @-")
		}
	}
	return input + strings.Join(words, " \\\n  "), q.variables()
}

// isOwnHeader reports whether curl has to find out the value of a header for itself.
func isOwnHeader(name string) bool {
	own := []string{"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
	return strings.HasPrefix(name, ":") || slices.Contains(own, strings.ToLower(name))
}

// isHeader reports whether a line may be a header. Curl would take some others for files to read.
func isHeader(line [2]string) bool {
	return httpguts.ValidHeaderFieldName(line[0]) && httpguts.ValidHeaderFieldValue(line[1])
}

func isArgument(body []byte) bool {
	return utf8.Valid(body) && len(body) <= maxArgument && !slices.Contains(body, 0)
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

// ShellWord quotes a word for a POSIX shell.
func ShellWord(word string) string { return (&quoter{}).quote(word) }

// quoter quotes words for a shell, and counts the secrets in them.
type quoter struct{ secrets []string }

// quote quotes a word. A variable stands outside of the single quotes, in which nothing is special but their end.
func (q *quoter) quote(word string) string {
	var b strings.Builder
	plain := func(text string) {
		if text != "" || word == "" {
			b.WriteString("'" + strings.ReplaceAll(text, "'", `'\''`) + "'")
		}
	}
	from := 0
	for _, at := range marked.FindAllStringIndex(word, -1) {
		plain(word[from:at[0]])
		b.WriteString(`"$` + q.variable(word[at[0]:at[1]]) + `"`)
		from = at[1]
	}
	plain(word[from:])
	return b.String()
}

// variable returns the name for a secret, the same for the same one.
func (q *quoter) variable(mark string) string {
	secret := strings.NewReplacer("%5B", "[", "%3A", ":", "%5D", "]").Replace(mark)
	i := slices.Index(q.secrets, secret)
	if i < 0 {
		i = len(q.secrets)
		q.secrets = append(q.secrets, secret)
	}
	return nameOfKey(i)
}

func nameOfKey(i int) string {
	if i == 0 {
		return "KEY"
	}
	return fmt.Sprintf("KEY%d", i+1)
}

func (q *quoter) variables() []string {
	var names []string
	for i := range q.secrets {
		names = append(names, nameOfKey(i))
	}
	return names
}
