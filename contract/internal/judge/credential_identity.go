package judge

import (
	"slices"
	"strings"
)

// Credential is the key of a request, as far as the recording shows it.
type Credential struct {
	// Identity distinguishes keys, whatever interface and header they are sent in. It is empty if the request has none,
	// or if the recording has the same stand-in for different keys.
	Identity string

	Shown    bool // a header carries one
	Withheld bool // the recording states that one was taken out
}

// Credential reads the key of a request. Authorization comes before a header of the interface's own (documented).
func (r *Result) Credential() Credential {
	op := r.Operation()
	if op == nil {
		return Credential{}
	}
	headers := []string{"Authorization"}
	if own := op.Document.KeyHeader(); own != "" {
		headers = append(headers, own)
	}
	for _, name := range headers {
		if value := strings.TrimSpace(r.Item.Request.Headers.Value(name)); value != "" {
			schemed := name == "Authorization" && (!op.Document.BareKey() || strings.Contains(value, " "))
			return Credential{Identity: keyIdentity(value, schemed, op.Document.Brand.Scheme()), Shown: true}
		}
	}
	return Credential{Withheld: slices.ContainsFunc(r.Item.Redacted, func(what string) bool {
		return slices.ContainsFunc(headers, func(name string) bool { return strings.EqualFold(name, what) })
	})}
}

// keyIdentity returns the key alone, so that it is the same with the scheme, in a header of its own, and bare where
// that is allowed. A value of Authorization with no scheme, or with another one, has an identity of its own: what is
// known of it does not hold for the key that it may contain.
func keyIdentity(value string, schemed bool, scheme string) string {
	word, key, found := strings.Cut(value, " ")
	if key = strings.TrimSpace(key); !found || !schemed {
		word, key = "", value
	}
	isKnown := !schemed || strings.EqualFold(word, scheme)
	switch {
	case key == "", !isKnown && isStandIn(word), isSharedStandIn(key):
		return ""
	case isKnown:
		return key
	}
	return "malformed " + value
}
