package recording

import (
	"regexp"
	"strings"
)

// secretName matches the names of headers, fields and parameters that hold secrets in any interface: by their last
// word, which begins after a separator or with a capital, or by what is too long to be the end of another word.
var secretName = regexp.MustCompile(`(?i:(?:^|[_.\[ -])(?:` +
	`(?:write|api|access|private|secret|signing|encryption|ssh|master|account|shared|subscription|auth|session)[_-]?key|` +
	`token|secret|credentials?|authorization|cookies?|jwt|otp|sig|signature)|` +
	`(?:api|access|subscription)key|access[_-]?key[_-]?id|(?:access|refresh|auth|session)token|clientsecret|` +
	`passw(?:or)?d|passphrase|passcode|pwd)$|` +
	`[a-z0-9](?:(?:Write|Api|API|Access|Private|Secret|Signing|Encryption|Ssh|SSH|Master|Account|Shared|` +
	`Subscription|Auth|` +
	`Session)Key|Token|Secret|Credentials?|Authorization|Cookie|Jwt|JWT|Otp|OTP|Signature)$`)

// vagueName matches names that are those of secrets unless a document describes them, or the value is a number, such as
// an id or a count.
var vagueName = regexp.MustCompile(`(?i:sess(?:ion)?[_.-]?id|(?:^|[_.\[ -])pass)$|[a-z0-9]Pass$`)

// endsOfNames are the words in which the names end that secretName and vagueName match, by their last two letters: most
// names need not be held against these.
var endsOfNames = map[[2]byte][]string{
	{'i', 'd'}: {
		"keyid", "key_id", "key-id", "sessid", "sionid", "sion_id", "sion-id", "sess_id", "sess-id", "sion.id", "sess.id",
	},
	{'e', 'n'}: {"token"}, {'e', 't'}: {"secret"}, {'a', 'l'}: {"credential"}, {'l', 's'}: {"credentials"},
	{'o', 'n'}: {"authorization"}, {'i', 'e'}: {"cookie"}, {'e', 's'}: {"cookies"}, {'w', 't'}: {"jwt"},
	{'t', 'p'}: {"otp"}, {'i', 'g'}: {"sig"},
	{'r', 'e'}: {"signature"}, {'w', 'd'}: {"passwd", "pwd"}, {'r', 'd'}: {"password"}, {'s', 'e'}: {"passphrase"},
	{'d', 'e'}: {"passcode"}, {'s', 's'}: {"pass"},
}

// keysOf are the words before key in the names of secrets.
var keysOf = []string{
	"write", "api", "access", "private", "secret", "signing", "encryption", "ssh", "master", "account", "shared",
	"subscription", "auth", "session",
}

// maxName bounds the length of names. What is longer is none.
const maxName = 256

// IsSecret reports whether a name is one of a secret, such as api_key, X-Auth-Token or settings[dbPassword].
func IsSecret(name string) bool { return isNamed(name, secretName) }

// isSecretFor reports whether a value under a name is a secret.
func isSecretFor(name, value string) bool {
	return IsSecret(name) || isVague(name) && !isNumber(value)
}

func isVague(name string) bool { return isNamed(name, vagueName) }

func isNamed(name string, pattern *regexp.Regexp) bool {
	return mayBeSecret(name) && pattern.MatchString(withoutEnd(name))
}

// withoutEnd returns a name without what may stand behind its last word.
func withoutEnd(name string) string {
	n := len(name)
	for n > 0 && (name[n-1] >= '0' && name[n-1] <= '9' || strings.IndexByte("[] ", name[n-1]) >= 0) {
		n--
	}
	return name[:n]
}

// mayBeSecret reports whether a name ends in one of the words that the patterns ask for. Names beyond ASCII may have
// such a word in other letters.
func mayBeSecret(name string) bool {
	if len(name) > maxName {
		return false
	}
	name = withoutEnd(name)
	n := len(name)
	if n < 2 {
		return false
	}
	const lower = 0x20
	words := endsOfNames[[2]byte{name[n-2] | lower, name[n-1] | lower}]
	if n > 3 && strings.EqualFold(name[n-3:], "key") {
		name, words = strings.TrimRight(name[:n-3], "_-"), keysOf
	}
	for _, word := range words {
		if begin := len(name) - len(word); begin >= 0 && strings.EqualFold(name[begin:], word) {
			return true
		}
	}
	return strings.ContainsFunc(name, func(r rune) bool { return r > 0x7f })
}

// isNumber reports whether a text is a number of as many digits as ids and counts have.
func isNumber(text string) bool {
	return len(text) <= 18 && strings.Trim(text, "0123456789") == ""
}
