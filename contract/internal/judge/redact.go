package judge

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Messages state what a value should be, not what it is, since the engines do not know which values are secret. The
// value is shown beside them, without secrets.

// maxMessage is the largest number of bytes of a message in a report.
const maxMessage = 600

// short returns a text, cut to maxMessage bytes.
func short(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	end := maxMessage
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// redactMessage takes out of an engine's message the value that it begins with, in quotes, and the reasons of a parser,
// which repeat it. The engine writes values with escapes, so that looking for them would not find all.
func redactMessage(message string) string {
	message, _, isCut := strings.Cut(message, "\n")
	if !strings.HasPrefix(message, "'") {
		return message
	}
	for _, verb := range []string{"' does not match pattern ", "' is not valid "} {
		if i := strings.LastIndex(message, verb); i >= 0 && !isCut {
			what, _, _ := strings.Cut(message[i+1:], ": ")
			return "the value" + what
		}
	}
	return "the value does not have the documented form"
}

// redactSecrets replaces the messages of the second engine on secrets. Those of the first one have no values.
func (b *content) redactSecrets(faults []fault) []fault {
	for i := range faults {
		if b.isSecret(faults[i].path) {
			faults[i].message = "a secret does not have the documented form"
		}
	}
	return faults
}

// isSecret reports whether a value, or one that contains it, is marked as a secret.
func (b *content) isSecret(path []string) bool {
	if b.decoded.Lines && len(path) > 0 {
		path = path[1:] // the line
	}
	return b.anySchemaAlong(path, func(w locatedSchema) bool { return specs.IsSecret(w.schema) })
}

// redactSecrets takes the values of secret parameters out of messages.
func (p *parameters) redactSecrets(faults []fault) []fault {
	for _, ref := range p.op.Parameters {
		if ref.Value.Schema == nil || !specs.IsSecret(ref.Value.Schema.Value) {
			continue
		}
		values, _ := p.valuesOf(ref.Value)
		for i := range faults {
			for _, value := range values {
				if value != "" {
					faults[i].message = strings.ReplaceAll(faults[i].message, value, "…")
				}
			}
		}
	}
	return faults
}

// wordOf returns the scheme of an Authorization header if it is a known one or looks like the platform's own. Anything
// else may be a key, and is not shown.
func wordOf(word string, brand specs.Brand) string {
	known := []string{
		"basic", "bearer", "digest", "negotiate", "ntlm", "token", "apikey", "api-key", "oauth", "hmac", "aws4-hmac-sha256",
	}
	own := strings.TrimRight(strings.ToLower(brand.Scheme()), "1")
	lower := strings.ToLower(word)
	if slices.Contains(known, lower) || strings.TrimRight(lower, "0123456789") == own && len(lower) <= len(own)+1 {
		return word
	}
	return "(not shown)"
}

// Redacted returns the exchange without its secrets, except the key of the request, by which its caller is known. It
// has no verdicts. It is nil if a secret stands in the path of the address.
func (r *Result) Redacted(redactor *recording.Redactor) *Result {
	clean := *r
	clean.Checks, clean.Findings, clean.reading, clean.read = nil, nil, nil, [2]*body.Body{}
	e := redactor.Redact(r.Item.Exchange, r.Operation())
	was, err := url.Parse(r.Item.Request.URL)
	is, cleanErr := url.Parse(e.Request.URL)
	if err != nil || cleanErr != nil || was.Path != is.Path {
		return nil
	}
	e.Request.Headers = r.Item.Request.Headers
	clean.Item.Exchange = e
	clean.Owner.Query, clean.query, clean.queryErr = is.RawQuery, nil, nil
	clean.readRequest()
	return &clean
}

// Recorders write stand-ins, such as marks, in the place of secrets. They cannot be judged: they are not what was sent.

func isRedacted(value string) bool { return strings.Contains(value, recording.Mark) }

// isStandIn reports whether a text stands in for a credential, as tools and their users write it: FILTERED_TOKEN,
// (removed) or YOUR_API_KEY.
func isStandIn(credential string) bool {
	words := strings.FieldsFunc(strings.ToLower(credential), func(r rune) bool { return !unicode.IsLetter(r) })
	switch strings.TrimPrefix(strings.Join(words, ""), "your") {
	case "apikey", "accesskey", "authkey", "apitoken", "accesstoken", "authtoken":
		return true
	}
	starts := strings.TrimLeft(credential, "[({*-_. ")
	isWord := len(words) > 0 && len(starts) >= len(words[0]) && strings.EqualFold(starts[:len(words[0])], words[0])
	return isPlaceholder(credential) || isWord && isPlaceholder(words[0])
}

// isPlaceholder reports whether a text as a whole stands in for one that a tool took out.
func isPlaceholder(text string) bool {
	text = strings.ToLower(text)
	switch text {
	case "hidden", "removed", "filtered", "sanitized", "sanitised", "scrubbed", "masked", "omitted", "placeholder",
		"dummy", "fake":
		return true
	}
	return strings.Contains(text, "redact") || slices.ContainsFunc([]string{"***", "xxx", "<", "{{", "${", "…"},
		func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// IsDistinct reports whether different secrets have different texts in the recording: the text is plain, or a stand-in
// that each secret has for itself. Most tools write the same stand-in for all.
func IsDistinct(text string) bool {
	return !isPlaceholder(text) || isUniqueStandIn(text)
}

// IsPlain reports whether a text is what was sent, and not what a tool wrote in its place.
func IsPlain(text string) bool { return !isPlaceholder(text) && !isRedacted(text) }

// isSharedStandIn reports whether a text may stand in for more than one credential.
func isSharedStandIn(text string) bool {
	isOwn := strings.HasPrefix(text, recording.Mark+":") // most are
	return !isOwn && isStandIn(text) && !isUniqueStandIn(text)
}

// isUniqueStandIn reports whether a placeholder stands in for one secret only: our own mark, or one that ends in a
// number or a hash, such as <TOKEN-2>, {{key1}} or ***:1a2b3c. The last digits of a secret behind a mask do not count.
func isUniqueStandIn(text string) bool {
	return strings.HasPrefix(text, recording.Mark+":") || numberedMark.MatchString(text) &&
		!digitsBehindMask.MatchString(text)
}

var (
	numberedMark = regexp.MustCompile(
		`^[^0-9]*(?:[a-zA-Z][-_:#. ]*[0-9]{1,4}|[-_:#](?:[0-9]{1,4}|[0-9a-fA-F]*[0-9][0-9a-fA-F]*))[^0-9a-zA-Z]*$`)
	digitsBehindMask = regexp.MustCompile(`(?:^|[^a-zA-Z])[xX]{3,}[-_. ]*[0-9]+$`)
)

// dropRedacted removes the faults of values that were taken out.
func (b *content) dropRedacted(faults []fault) []fault {
	return slices.DeleteFunc(faults, func(f fault) bool {
		text, _ := b.valueAt(f.path).(string)
		return isRedacted(text)
	})
}

// isRedacted reports whether the value of a parameter was taken out.
func (p *parameters) isRedacted(parameter *openapi3.Parameter) bool {
	switch parameter.In {
	case openapi3.ParameterInHeader:
		return isRedacted(p.headers.Value(parameter.Name))
	case openapi3.ParameterInQuery:
		return isRedacted(p.query.Get(parameter.Name))
	case openapi3.ParameterInCookie:
		return isRedacted(p.headers.Value("Cookie"))
	}
	return isRedacted(p.inPath(parameter.Name))
}

func (p *parameters) anyRedacted() bool {
	return slices.ContainsFunc(p.op.Parameters, func(ref *openapi3.ParameterRef) bool {
		return !specs.IsCredential(ref.Value) && p.isRedacted(ref.Value)
	})
}
