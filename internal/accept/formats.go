package accept

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
)

// Known are formats of strings that kin-openapi does not know by itself, or of which it knows too little, and that
// other validators do.
var Known = Formats{
	"date": Times["date"], "date-time": Times["date-time"],
	"uuid": quickFormat{isUUID, openapi3.NewRegexpFormatValidator(
		`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)},
	"email": openapi3.NewRegexpFormatValidator(`^(?:[^@\s]+|"(?:[^"\\]|\\.)+")@[^@\s]+$`), // RFC 5321, 4.1.2
	"uri": quickFormat{isPlainURL, openapi3.NewCallbackValidator(func(s string) error {
		if u, err := url.Parse(s); err != nil || !u.IsAbs() || hasUnescaped(s) {
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
	"ipv6": openapi3.NewCallbackValidator(func(s string) error {
		if a, err := netip.ParseAddr(s); err != nil || !a.Is6() || a.Zone() != "" {
			return errors.New("not an IPv6 address")
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

// notInURI are characters that URIs have escaped alone (RFC 3986, 2), and that url.Parse takes.
const notInURI = " <>\"\\^`{|}"

// isPlainURL reports whether a text is a URL of the form that most have.
func isPlainURL(text string) bool {
	_, isPlain := address.Cut(text)
	return isPlain && !hasUnescaped(text)
}

// hasUnescaped reports whether a text has characters that a URI has escaped alone. Those beyond ASCII are of IRIs
// (RFC 3987).
func hasUnescaped(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(notInURI, r) })
}
