package judge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

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
