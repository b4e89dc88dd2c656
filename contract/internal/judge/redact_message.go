package judge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs"
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
