package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Fingerprint identifies a deviation across runs: by rule, by the place in the document, and by the place in the body
// with the positions in lists starred. Values and messages have no part in it.
func Fingerprint(f *Finding) string {
	tokens := strings.Split(f.Pointer, "/")
	for i, token := range tokens {
		if i > 2 && isIndex(token) {
			tokens[i] = "*"
		}
	}
	parts := []string{
		f.Rule, string(f.Verdict), string(f.Interface), f.Operation, f.Spec.Pointer, strings.Join(tokens, "/"),
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

func isIndex(token string) bool {
	for _, c := range token {
		if c < '0' || c > '9' {
			return false
		}
	}
	return token != ""
}
