package specs

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// keyDigits is the number of hexadecimal digits behind the slash of a platform key.
const keyDigits = 2 * sha1.Size

// PlatformKey returns an API key in the platform's own form: the id of the account, a slash, and 40 lower-case
// hexadecimal digits. A key in this form stays as it is. The digits of any other key, such as 1/admin, are the SHA-1 of
// its text, which anybody can compute: printf %s 1/admin | sha1sum.
func PlatformKey(account int64, key string) string {
	if IsPlatformKey(key) {
		return key
	}
	sum := sha1.Sum([]byte(key))
	var room [len("9223372036854775807/") + keyDigits]byte
	b := append(strconv.AppendInt(room[:0], account, 10), '/')
	return string(hex.AppendEncode(b, sum[:]))
}

// IsPlatformKey reports whether an API key has the platform's own form.
func IsPlatformKey(key string) bool {
	slash := len(key) - keyDigits - 1
	return slash > 0 && key[slash] == '/' && consistsOf(key[:slash], isDigit) && consistsOf(key[slash+1:], isHex)
}

// HoldsPlatformKey reports whether a text may have an API key in the platform's own form in it. In JSON the slash may
// be escaped.
func HoldsPlatformKey[T ~string | ~[]byte](text T) bool {
	for i := 1; i+keyDigits < len(text); i++ {
		if text[i] == '/' && (isDigit(text[i-1]) || text[i-1] == '\\') && consistsOf(text[i+1:i+1+keyDigits], isHex) {
			return true
		}
	}
	return false
}

func consistsOf[T ~string | ~[]byte](text T, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' }

// Credential holds the part of a request that shows who sends it.
type Credential struct {
	In          string // header, query or cookie
	Name, Value string
}

// Credentials returns what a request with a key shows: in the platform's scheme, or by the first alternative of the
// security schemes of a user's own document, where a key of basic credentials is USER:PASSWORD.
func (o *Operation) Credentials(key string) (list []Credential) {
	const authorization = "Authorization"
	if !o.Interface.IsOwn() {
		return []Credential{{"header", authorization, o.Document.Brand.Scheme() + " " + key}}
	}
	alternatives := o.Security()
	if len(alternatives) == 0 {
		return nil
	}
	for _, scheme := range alternatives[0] {
		switch {
		case scheme.Type == "apiKey":
			list = append(list, Credential{scheme.In, scheme.Name, key})
		case strings.EqualFold(scheme.Scheme, "basic"):
			list = append(list, Credential{"header", authorization, "Basic " + base64.StdEncoding.EncodeToString([]byte(key))})
		default:
			list = append(list, Credential{"header", authorization, "Bearer " + key})
		}
	}
	return list
}

// Show adds the credential to a request.
func (c Credential) Show(r *http.Request) {
	switch c.In {
	case "query":
		query := r.URL.Query()
		query.Set(c.Name, c.Value)
		r.URL.RawQuery = query.Encode()
	case "cookie":
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	default:
		r.Header.Set(c.Name, c.Value)
	}
}
