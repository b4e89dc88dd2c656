package judge

import (
	"slices"
	"strings"
)

// Credential is the key that a request shows.
type Credential struct {
	// Identity distinguishes keys, on whatever interface and in whatever header they are shown. It is empty when the
	// request has none, and when the recording hides it in a way that hides others alike.
	Identity string

	Shown    bool // a header carries one
	Withheld bool // the recording says that it took one out
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

// keyIdentity returns the key alone, so that it is the same with the scheme, in a header of its own, and bare where it
// may be so. Any other value of Authorization that has no scheme, or another one, is a key of its own kind: what is
// known of it does not hold for the key that it may contain.
func keyIdentity(value string, schemed bool, scheme string) string {
	word, key, found := strings.Cut(value, " ")
	if key = strings.TrimSpace(key); !found || !schemed {
		word, key = "", value
	}
	switch {
	case key == "", isHidden(word), isHidden(key) && !isMarked(key):
		return ""
	case !schemed, strings.EqualFold(word, scheme):
		return key
	}
	return "malformed " + value
}
