package recording

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs"
)

// secretName matches the names of headers, fields and parameters that hold secrets in any interface.
var secretName = regexp.MustCompile(
	`(?i:(?:^|[_.\[-])(?:(?:write|api|access|private)[_-]?key|access[_-]?key[_-]?id|(?:access|refresh)?token|` +
		`passw(?:or)?d|passphrase|(?:client)?secret|sig|signature)$)|` +
		`[a-z0-9](?:(?:Write|Api|API|Access|Private)Key|Token|Password|Passphrase|Secret)$`)

// IsSecret reports whether a name is one of a secret, such as api_key, X-Auth-Token or settings[dbPassword].
func IsSecret(name string) bool {
	name = strings.TrimRight(name, "[]")
	return mayBeSecret(name) && secretName.MatchString(name)
}

// mayBeSecret reports whether a name ends in one of the words that secretName asks for, so that most names are not held
// against that. Names beyond ASCII may have such a word in other letters.
func mayBeSecret(name string) bool {
	endsIn := func(word string) bool {
		return len(name) >= len(word) && strings.EqualFold(name[len(name)-len(word):], word)
	}
	isBeyondASCII := func(r rune) bool { return r >= utf8.RuneSelf }
	return slices.ContainsFunc([]string{
		"key", "id", "token", "passwd", "password", "passphrase", "secret", "sig", "signature",
	}, endsIn) || strings.ContainsFunc(name, isBeyondASCII)
}

// userinfo finds credentials in addresses: up to the last @ before the path, or, since passwords are not always
// escaped, after a colon that no port follows. In a text that is JSON slashes may be escaped.
var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2})` +
	`([^\s/"'<>]*|[^\s/@:"'<>]*:[^\s/@"'<>]*[^\s/@"'<>0-9][^\s@"'<>]*)@`)

// parameter finds what follows a name in an address or a form, member what follows one in JSON that is not whole, and
// part what follows one in a body of parts.
var (
	parameter = regexp.MustCompile(`([?&]([^\s?&=#"'<>]+)=)([^\s&#"'<>]+)`)
	member    = regexp.MustCompile(`("([^"\\]+)"\s*:\s*")((?:[^"\\]|\\.)+)`)
	part      = regexp.MustCompile(
		`((?i:\r?\nContent-Disposition:)[^\r\n]*\bname="([^"\r\n]+)"[^\r\n]*(?:\r?\n[^\r\n]+)*(?:\r?\n){2})([^\r\n]+)`)
)

// assignment finds what follows a name at the beginning of a line, as in YAML, headers and settings.
var assignment = regexp.MustCompile(`(?m)(^[ \t-]*(?:export )?([A-Za-z][\w.-]*)[ \t]*[:=][ \t]*)([^\s][^\r\n]*)`)

// privateKey finds keys in PEM, also those that were cut.
var privateKey = regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----)(.*?)(-----END|$)`)

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
	return x.search(text, func(text string) string { return x.pieces(x.field("", text, part)) })
}

// Header returns the value of a header without its secrets.
func (r *Redactor) Header(name, value string, op *specs.Operation) string {
	x := &redaction{Redactor: r, op: op}
	return x.headers(Headers{{name, value}}).Value(name)
}

// Text takes credentials out of a text, wherever they stand in it: those of addresses, keys after their scheme, and
// keys in the platform's own form.
func (r *Redactor) Text(text string) string {
	x := &redaction{Redactor: r}
	return x.search(text, x.inText)
}

// URL returns the address of a request to an operation, which may be nil, without its secrets.
func (r *Redactor) URL(raw string, op *specs.Operation) string {
	x := &redaction{Redactor: r, op: op}
	return x.search(raw, x.url)
}

func (x *redaction) inText(text string) string {
	if !x.affords(len(text)) {
		return text
	}
	if strings.Contains(text, "@") {
		text = x.replace(userinfo, text, func(match []string) string { return match[1] + x.hashText(match[2]) + "@" })
	}
	if strings.Contains(text, "://") && strings.Contains(text, "=") {
		text = x.replaceNamed(parameter, text)
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
	if strings.Contains(text, "PRIVATE KEY-----") {
		text = x.replace(privateKey, text, func(match []string) string {
			if strings.HasPrefix(strings.TrimSpace(match[2]), Mark) {
				return match[0]
			}
			return match[1] + x.hashText(match[2]) + match[3]
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

// pieces takes secrets out of a text that is not in the form that it should have: members of JSON, and parts.
func (x *redaction) pieces(text string) string {
	return x.inText(x.assignments(x.replaceNamed(part, "\n"+x.replaceNamed(member, text))[1:]))
}

// assignments takes out values of secrets in lines. What refers to a secret that stands elsewhere is none, as in
// password: ${secret:db}, nor is a mark.
func (x *redaction) assignments(text string) string {
	return x.replace(assignment, text, func(match []string) string {
		value := strings.Trim(match[3], `"'`)
		if !IsSecret(match[2]) || value == "" || strings.HasPrefix(value, "${") || strings.HasPrefix(value, Mark) {
			return match[0]
		}
		return match[1] + x.Hash(match[3])
	})
}

func (x *redaction) replace(pattern *regexp.Regexp, text string, clean func(match []string) string) string {
	return pattern.ReplaceAllStringFunc(text,
		func(found string) string { return clean(pattern.FindStringSubmatch(found)) })
}

// replaceNamed hashes the values that a pattern finds after names of secrets.
func (x *redaction) replaceNamed(pattern *regexp.Regexp, text string) string {
	return x.replace(pattern, text, func(match []string) string {
		name, err := url.QueryUnescape(match[2])
		if err != nil || !IsSecret(name) {
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
