package accept

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
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
	"email": openapi3.NewRegexpFormatValidator(emailForm),
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
	"uri-reference": textFormat(func(s string) bool { return isReference(s) && !hasUnescaped(s) }, "a URI reference"),
	"iri": textFormat(func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.IsAbs() && !strings.ContainsAny(s, notInURI)
	}, "an absolute IRI"),
	"iri-reference": textFormat(isReference, "an IRI reference"),
	"uri-template":  textFormat(uriTemplate.MatchString, "a URI template"),                      // RFC 6570, 2
	"idn-email":     textFormat(regexp.MustCompile(emailForm).MatchString, "an e-mail address"), // RFC 6531
	"idn-hostname":  textFormat(isHostname, "a host name"),                                      // RFC 5890, 2.3.2.3
	// With padding, and without line feeds, for OpenAPI does not say otherwise (RFC 4648, 3.1, 3.2 and 4).
	"byte": openapi3.NewRegexpFormatValidator(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`),
	"base64url": textFormat(func(s string) bool { // whose padding may be left out (RFC 4648, 5)
		_, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
		return err == nil && !strings.ContainsAny(s, "\r\n")
	}, "base64 for URLs"),
	"char": textFormat(func(s string) bool {
		return s != "" && utf8.RuneCountInString(s) <= maxOfCharacter
	}, "a character"),
	"date-time-local": textFormat(isTime("2006-01-02T15:04:05"), "a time without a zone"),
	"time-local":      textFormat(isTime("15:04:05"), "a time of day without a zone"),
	"http-date": textFormat(func(s string) bool {
		_, err := http.ParseTime(s)
		return err == nil
	}, "a time as HTTP has it"),
	"duration":     openapi3.NewCallbackValidator(hasForm("duration")), // RFC 3339, appendix A
	"time":         openapi3.NewCallbackValidator(hasForm("time")),
	"hostname":     openapi3.NewCallbackValidator(hasForm("hostname")),
	"json-pointer": openapi3.NewCallbackValidator(hasForm("json-pointer")),
	// Formats that a validator knows, and that neither OpenAPI nor JSON Schema does, say nothing.
	"period": textFormat(func(string) bool { return true }, ""),
	"semver": textFormat(func(string) bool { return true }, ""),
}

// integers are the formats of integers in the registry of OpenAPI that kin-openapi does not know, but for uint64, of
// whose range it hands over a half.
var integers = map[string]openapi3.IntegerFormatValidator{
	"int8": between(math.MinInt8, math.MaxInt8), "int16": between(math.MinInt16, math.MaxInt16),
	"uint8": between(0, math.MaxUint8), "uint16": between(0, math.MaxUint16), "uint32": between(0, math.MaxUint32),
}

var between = openapi3.NewRangeFormatValidator[int64]

// Options returns the options with which kin-openapi takes the formats, and those of integers that it does not know.
func (f Formats) Options() []openapi3.SchemaValidationOption {
	return []openapi3.SchemaValidationOption{
		openapi3.WithStringFormatValidators(f), openapi3.WithIntegerFormatValidators(integers),
	}
}

// maxOfCharacter is the number of code points up to which a text may be one character, as readers see it.
const maxOfCharacter = 16

// emailForm is looser than RFC 5321, 4.1.2: it refuses only addresses that no server accepts.
const emailForm = `^(?:[^@\s]+|"(?:[^"\\]|\\.)+")@[^@\s]+$`

// uriTemplate matches literals, and expressions of variables.
var uriTemplate = regexp.MustCompile(`^(?:[^\x00-\x20"%<>\\^{|}` + "`" + `]|%[0-9A-Fa-f]{2}|` +
	`\{[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*\})*$`)

const variable = `(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*(?:\*|:[1-9][0-9]{0,3})?`

func textFormat(has func(text string) bool, what string) openapi3.StringFormatValidator {
	return openapi3.NewCallbackValidator(func(text string) error {
		if has(text) {
			return nil
		}
		return fmt.Errorf("not %s", what)
	})
}

func isReference(text string) bool {
	_, err := url.Parse(text)
	return err == nil && !strings.ContainsAny(text, notInURI)
}

// isHostname reports whether a text is a host name, of whatever script. Dots are those that IDNA maps to one (UTS 46).
func isHostname(text string) bool {
	text = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".").Replace(text)
	for label := range strings.SplitSeq(strings.TrimSuffix(text, "."), ".") {
		isWrong := func(r rune) bool {
			return r < utf8.RuneSelf && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsSpace(r)
		}
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, isWrong) {
			return false
		}
	}
	return true
}

func isTime(form string) func(text string) bool {
	return func(text string) bool {
		_, err := time.Parse(form, strings.Replace(text, ":60", ":59", 1)) // a leap second
		return err == nil
	}
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
