package recording

import (
	"bytes"
	"encoding/base64"
	"mime"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"

	"svc.example/understudy/specs"
)

// userinfo finds credentials in addresses: up to the last @ before the path, or, since passwords are not always
// escaped, after a colon that no port follows. In a text that is JSON slashes may be escaped.
var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2})` +
	`([^\s/"'<>]*|[^\s/@:"'<>]*:[^\s/@"'<>]*[^\s/@"'<>0-9][^\s@"'<>]*)@`)

// part finds what is in a part of a form that is not read as one, behind its name.
var part = regexp.MustCompile(
	`((?i:\r?\nContent-Disposition:)[^\r\n]*\bname="([^"\r\n]+)"[^\r\n]*(?:\r?\n[^\r\n]+)*(?:\r?\n){2})([^\r\n]+)`)

// percented finds what may hold names and values in percent-encoding.
var percented = regexp.MustCompile(`[\w%.~+*!:,{}[\]-]*%(?:22|3[ADad])[\w%.~+*!:,{}[\]-]*`)

// privateKey finds keys in PEM, also those that were cut.
var privateKey = regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)(.*?)(-----END|$)`)

// presented finds keys that a text repeats as they were presented. What is shorter may be any word.
var presented = regexp.MustCompile(`\b([A-Z][A-Z0-9]*1|Bearer) ([A-Za-z0-9._~+/=-]{16,})`)

// basic finds a user and a password as they are presented.
var basic = regexp.MustCompile(`\b(Basic )([A-Za-z0-9+/_-]{4,}={0,2})`)

// platformKey finds keys that stand by themselves, which their form gives away. In JSON the slash may be escaped.
var platformKey = regexp.MustCompile(`\b([0-9]+)\\?/([0-9a-f]{40})\b`)

// Value takes secrets out of a text by itself, such as a member of a body, of which a document says part. The text may
// be JSON, or a piece of it.
func (r *Redactor) Value(text string, part specs.Part) string {
	x := &redaction{Redactor: r}
	return x.search(text, func(text string) string { return x.field("", text, part) })
}

// Header returns the value of a header without its secrets.
func (r *Redactor) Header(name, value string, op *specs.Operation) string {
	x := &redaction{Redactor: r, op: op}
	return x.headers(Headers{{name, value}}).Value(name)
}

// Text takes secrets out of a text, wherever they stand in it: those that their form gives away, and those behind a
// name.
func (r *Redactor) Text(text string) string {
	x := &redaction{Redactor: r}
	return x.search(text, x.inText)
}

// URL returns the address of a request to an operation, which may be nil, without its secrets.
func (r *Redactor) URL(raw string, op *specs.Operation) string {
	x := &redaction{Redactor: r, op: op}
	return x.search(raw, x.url)
}

// inText takes secrets out of a text that may be anything: those that their form gives away, and those behind a name.
func (x *redaction) inText(text string) string {
	if !x.affords(len(text)) || !mayHoldSecret(text) {
		return text
	}
	text = x.byForm(text)
	if strings.Contains(text, "ontent-") {
		text = x.replaceNamed(part, "\n"+text)[1:]
	}
	if strings.Contains(text, "\n") {
		text = x.table(text)
	}
	text = x.named(x.inserts(text))
	if strings.Contains(text, "%22") || strings.Contains(text, "%3") {
		text = percented.ReplaceAllStringFunc(text, x.inPercents)
	}
	return text
}

// inPercents takes secrets out of a text in percent-encoding.
func (x *redaction) inPercents(text string) string {
	plain, err := url.QueryUnescape(text)
	if err != nil || plain == text || x.depth >= maxDepth {
		return text
	}
	x.depth++
	clean := x.inText(plain)
	if x.depth--; clean == plain {
		return text
	}
	return url.QueryEscape(clean)
}

// byForm takes out credentials that their form gives away: those of addresses, keys after their scheme, private keys in
// PEM, and keys in the platform's own form.
func (x *redaction) byForm(text string) string {
	if strings.Contains(text, "PRIVATE KEY") {
		text = x.replace(privateKey, text, func(match []string) string {
			if strings.HasPrefix(strings.TrimSpace(match[2]), Mark) {
				return match[0]
			}
			return match[1] + x.hashText(match[2]) + match[3]
		})
	}
	if strings.Contains(text, "@") {
		text = x.replace(userinfo, text, func(match []string) string { return match[1] + x.hashText(match[2]) + "@" })
	}
	if strings.Contains(text, "1 ") || strings.Contains(text, "Bearer ") {
		text = x.replace(presented, text, func(match []string) string {
			switch match[1] {
			case "Bearer", specs.Neutral.Scheme(), x.Brand.Scheme():
				return match[1] + " " + x.Hash(match[2])
			}
			return match[0]
		})
	}
	if strings.Contains(text, "Basic ") {
		text = x.replace(basic, text, func(match []string) string {
			plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(match[2], "="))
			if err != nil || !bytes.Contains(plain, []byte(":")) {
				return match[0]
			}
			return match[1] + x.Hash(match[2])
		})
	}
	if specs.HoldsPlatformKey(text) {
		text = x.replace(platformKey, text, func(match []string) string { return x.Hash(match[1] + "/" + match[2]) })
	}
	return text
}

func (x *redaction) replace(pattern *regexp.Regexp, text string, clean func(match []string) string) string {
	return pattern.ReplaceAllStringFunc(text,
		func(found string) string { return clean(pattern.FindStringSubmatch(found)) })
}

// replaceNamed hashes the values that a pattern finds after names of secrets.
func (x *redaction) replaceNamed(pattern *regexp.Regexp, text string) string {
	return x.replace(pattern, text, func(match []string) string {
		name, err := url.QueryUnescape(match[2])
		if err != nil || !isSecretFor(name, match[3]) {
			return match[0]
		}
		return match[1] + x.hashText(match[3])
	})
}

// hashText returns the hash of a secret, or the empty text for an empty one.
func (x *redaction) hashText(secret string) string {
	if secret == "" {
		return ""
	}
	return x.Hash(secret)
}

// maxHead bounds the first line of a table.
const maxHead = 64 << 10

// table takes secrets out of a text that is a table, with separators and a first line of names.
func (x *redaction) table(text string) string {
	begin := 0
	for strings.HasPrefix(text[begin:], "#") { // comments
		begin = min(len(text), begin+upTo(text[begin:], "\n")+1)
	}
	head, rest, found := strings.Cut(text[begin:], "\n")
	if !found || len(head) > maxHead {
		return text
	}
	for _, separator := range []byte(",;\t|") {
		names, _ := row(head, 0, separator, "\r\n")
		secret := secretColumns(head, names)
		if len(names) < 2 || secret == nil {
			continue
		}
		if first, _ := row(rest, 0, separator, "\r\n"); len(first) < len(names) {
			continue
		}
		return text[:begin] + head + "\n" + x.without(rest, secretFields(rest, 0, secret, func(at int) ([]span, int) {
			return row(rest, at+leading(rest[at:], "\r\n"), separator, "\r\n")
		}))
	}
	return text
}

// insert finds the names in an INSERT statement of SQL.
var insert = regexp.MustCompile(`(?is)\b(?:insert|replace|upsert)\s+(?:or\s+\w+\s+|ignore\s+)?into\s+[^\s(]+\s*` +
	`\(([^()]*)\)\s*values\s*`)

// inserts takes secrets out of the values of INSERT statements.
func (x *redaction) inserts(text string) string {
	if !strings.Contains(text, "into") && !strings.Contains(text, "INTO") && !strings.Contains(text, "Into") {
		return text
	}
	var fields []field
	end := 0
	for _, found := range insert.FindAllStringSubmatchIndex(text, -1) {
		head := text[found[2]:found[3]]
		names, _ := row(head, 0, ',', "")
		secret := secretColumns(head, names)
		if secret == nil || found[0] < end {
			continue
		}
		more := secretFields(text, found[1], secret, func(at int) ([]span, int) {
			begin := at + leading(text[at:], " \t\r\n,")
			if begin == len(text) || text[begin] != '(' {
				return nil, at
			}
			fields, stop := row(text, begin+1, ',', ")")
			end = min(stop+1, len(text))
			return fields, end
		})
		fields = append(fields, more...)
	}
	return x.without(text, fields)
}

// secretColumns returns the names of the columns of a table that may be secret, or that have names and values, and
// empty texts for the others. It is nil if no column may be secret.
func secretColumns(head string, names []span) []string {
	secret, isAny, isNamed := make([]string, len(names)), false, false
	for i, s := range names {
		name := strings.Trim(head[s.start:s.end], " \t\r\"'`[]\ufeff")
		lower := strings.ToLower(name)
		switch {
		case IsSecret(name), isVague(name):
			secret[i], isAny = name, true
		case isPairName(lower):
			secret[i], isNamed = lower, true
		case isPairValue(lower):
			secret[i], isAny = lower, isAny || isNamed
		}
	}
	if !isAny {
		return nil
	}
	return secret
}

// field is the place of a value in a table, without blanks and quotes.
type field struct {
	span
	name string
}

// secretFields returns the fields in the secret columns of rows, as long as there are some.
func secretFields(text string, at int, secret []string, next func(at int) (fields []span, end int)) (list []field) {
	const around = " \t\r\n\"'"
	for {
		fields, end := next(at)
		if len(fields) == 0 || end <= at {
			return list
		}
		at = end
		named := ""
		for i, f := range fields {
			f.start += leading(text[f.start:f.end], around)
			f.end = f.start + len(strings.TrimRight(text[f.start:f.end], around))
			switch {
			case i >= len(secret):
			case isPairName(secret[i]):
				named = text[f.start:f.end]
			case isPairValue(secret[i]):
				list = append(list, field{f, named})
			case secret[i] != "":
				list = append(list, field{f, secret[i]})
			}
		}
	}
}

// without returns a text without the secrets in some fields.
func (x *redaction) without(text string, fields []field) string {
	var clean strings.Builder
	copied := 0
	for _, f := range fields {
		value := text[f.start:f.end]
		if isHarmless(value) || strings.EqualFold(value, "null") || !isSecretFor(f.name, value) {
			continue
		}
		clean.WriteString(text[copied:f.start])
		clean.WriteString(x.Hash(value))
		copied = f.end
	}
	clean.WriteString(text[copied:])
	return clean.String()
}

type span struct{ start, end int }

// row returns the fields of a row that begins at a place, and where it ends: before a byte that ends it outside of
// quotes and parentheses.
func row(text string, at int, separator byte, ends string) (fields []span, end int) {
	begin := at
	var quote byte
	depth := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && ends == ")":
			quote = c
		case c == '(' && ends == ")":
			depth++
		case c == ')' && depth > 0:
			depth--
		case strings.IndexByte(ends, c) >= 0:
			return append(fields, span{begin, i}), i
		case c == separator && depth == 0:
			fields, begin = append(fields, span{begin, i}), i+1
		}
	}
	return append(fields, span{begin, len(text)}), len(text)
}

// parts takes secrets out of the parts of a form, and leaves all other bytes as they were sent. It reports whether the
// text is such a form. Of a form that was cut, the last part is what there is of it.
func (x *redaction) parts(where string, body *Body, boundary string, said func(name string) specs.Part) ([]byte, bool) {
	delimiter := []byte("\r\n--" + boundary)
	pieces := bytes.Split(append([]byte("\r\n"), body.Bytes...), delimiter)
	last := len(pieces) - 1
	isWhole := bytes.HasPrefix(pieces[last], []byte("--"))
	if boundary == "" || last == 0 || len(pieces[0]) > 0 || !isWhole && !body.Truncated {
		return nil, false
	}
	if isWhole {
		last--
	}
	for i, piece := range pieces[1 : last+1] {
		isCut := !isWhole && i+1 == last
		head, content, found := bytes.Cut(piece, []byte("\r\n\r\n"))
		switch {
		case !found && isCut:
			pieces[i+1] = nil
			continue
		case !found:
			return nil, false
		case isCut:
			content = []byte(withoutTail(string(content)))
			pieces[i+1] = append(append(bytes.Clone(head), "\r\n\r\n"...), content...)
		}
		name, contentType := described(string(head))
		clean, place := x.inText(string(head)), below(where, name)
		value := x.part(place, name, &Body{Bytes: content, Truncated: isCut}, contentType, said(name))
		if clean != string(head) || !bytes.Equal(value, content) {
			pieces[i+1] = append([]byte(clean+"\r\n\r\n"), value...)
			x.note(place)
		}
	}
	return bytes.Join(pieces, delimiter)[len("\r\n"):], true
}

// part takes secrets out of what a part holds: a value, or a file.
func (x *redaction) part(where, name string, content *Body, contentType string, part specs.Part) []byte {
	if part.Secret || isSecretFor(name, string(content.Bytes)) || x.depth >= maxDepth {
		return []byte(x.hashText(string(content.Bytes)))
	}
	x.depth++
	clean := x.plain(where, content, Headers{{"Content-Type", contentType}}, part)
	x.depth--
	return clean.Bytes
}

// described returns the name of the field that a part of a form holds, and its media type, by its header.
func described(head string) (name, contentType string) {
	for line := range strings.SplitSeq(head, "\r\n") {
		key, value, _ := strings.Cut(line, ":")
		switch textproto.CanonicalMIMEHeaderKey(key) {
		case "Content-Disposition":
			_, parameters, _ := mime.ParseMediaType(value)
			name = parameters["name"]
		case "Content-Type":
			contentType = strings.TrimSpace(value)
		}
	}
	return name, contentType
}
