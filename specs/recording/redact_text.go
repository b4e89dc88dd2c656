package recording

import (
	"bytes"
	"encoding/base64"
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
