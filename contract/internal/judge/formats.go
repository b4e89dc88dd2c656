package judge

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

// formats are those of strings that the first engine does not know.
var formats = accept.Formats{
	"uuid": quickFormat{isUUID, openapi3.NewRegexpFormatValidator(
		`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)},
	"email": openapi3.NewRegexpFormatValidator(`^[^@\s]+@[^@\s]+$`),
	"uri": quickFormat{isPlainURL, openapi3.NewCallbackValidator(func(s string) error {
		if u, err := url.Parse(s); err != nil || !u.IsAbs() {
			return errors.New("not an absolute URI")
		}
		return nil
	})},
	"ipv4": openapi3.NewCallbackValidator(func(s string) error {
		if a, err := netip.ParseAddr(s); err != nil || !a.Is4() {
			return errors.New("not an IPv4 address")
		}
		return nil
	}),
}

// quickFormat is a format, and a function that recognizes most of its texts sooner.
type quickFormat struct {
	has func(text string) bool
	openapi3.StringFormatValidator
}

// Validate returns why a text does not have the format.
func (f quickFormat) Validate(text string) error {
	if f.has(text) {
		return nil
	}
	return f.StringFormatValidator.Validate(text)
}

func isUUID(text string) bool {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		c := text[i]
		isHex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
		if isHex != (form[i] == '0') || !isHex && c != '-' {
			return false
		}
	}
	return true
}

// isPlainURL reports whether a text is a URL with a named host and a path, of signs that need no care.
func isPlainURL(text string) bool {
	rest, ok := strings.CutPrefix(text, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(text, "http://")
	}
	host, after, _ := strings.Cut(rest, "/")
	path, query, _ := strings.Cut(after, "?")
	return ok && host != "" && isMadeOf(host, ".-") && isMadeOf(path, "/.-_~,") && isMadeOf(query, "?&=[].-_~,%+/:")
}

// cutLink returns the path of a URL, unescaped, and its raw query.
func cutLink(text string) (path, query string, ok bool) {
	if isPlainURL(text) {
		_, after, _ := strings.Cut(text, "://")
		path, query, _ = strings.Cut(after, "?")
		return path[strings.IndexByte(path+"/", '/'):], query, true
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", "", false
	}
	return u.Path, u.RawQuery, true
}

// isMadeOf reports whether a text consists of letters and digits of ASCII, and of some other signs.
func isMadeOf(text, others string) bool {
	for i := range len(text) {
		c := text[i]
		isWord := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isWord && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
