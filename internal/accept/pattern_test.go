package accept_test

import (
	"regexp"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

// TestPatterns holds patterns against package regexp, with texts at the edges of what they match.
func TestPatterns(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "0", "1", "10", "01", "a", "az", "aZ", "a_9", "_", "a-", "-", "\n",
		"a\n", "1\n", "é", "aé", "\x7f", "\x80", "1é", "K",
		"2026-01-15T09:30:00Z", "2026-01-15T09:30:00Z\n", "2026-01-15T09:30:00", "2026-01-15T09:30:00ZZ",
		"2026-01-15 09:30:00Z",
		"x026-01-15T09:30:00Z", "２026-01-15T09:30:00Z", "abc", "ABC", "abcabc",
		"2026-01-15 09 UTC", "2026-01-15 09 +0900", "2026-01-15 09 ", "a.b", "a.bc", "b12", "bc", "c",
		"aaa", "abab", "adg", "di", "aAa",
	}
	for _, pattern := range []string{
		`^[1-9][0-9]*$`, `^[0-9]+$`, `^[a-z0-9_]+$`, `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$`, `^(0|[1-9][0-9]*)$`, `^abc$`,
		`^(?i)abc$`, `^(?i)k$`, `^a*b*$`, `^[a-z]*[0-9]$`, `^[a-z]{1,2}$`, `^[^a]$`, `^[^a]+$`, `^.$`, `^.*$`, `^é$`, `^[aé]$`, `^$`, `a`,
		`^a`, `a$`, `(?m)^a$`, `^\w+$`, `^\s$`, `^[\x7f]$`, `^(ab)+$`, `^a+?$`, `\Aa\z`, `^a|b$`, `^a{2}b{2}$`, `^(?:a[0-9]{2})+$`, `^x{2,}$`, `^^a$$`, `^a?$`, `^(a)$`,
		`^(\d{4}-\d{2}-\d{2} \d{2} ([+-]\d{4}|UTC))?$`, `^[a-z][a-z0-9._-]{0,2}$`, `^(a|b[0-9]*)$`, `^(a|b[0-9]*)c$`, `^(a|b|c)?(d|e|f)?(g|h|i)?$`,
		`^[0-9]+/[0-9a-f]{4}$`, `^x{0}$`, `^[a-z]{0}$`, `^[a-z]{2,3}$`, `^((a)?b)?c$`, `^a{3}$`, `^(?i)a{1,3}$`, `^[a-z]{100}$`, `^(ab){2}$`,
	} {
		want := regexp.MustCompile(pattern)
		tree := accept.Compile(&openapi3.Schema{Type: &openapi3.Types{"string"}, Pattern: pattern}, accept.Request)
		if tree == nil {
			t.Fatalf("%s is not compiled", pattern)
		}
		for _, text := range texts {
			if got := tree.Accepts(text); got != want.MatchString(text) {
				t.Errorf("%s: %q accepted: %v", pattern, text, got)
			}
		}
	}
}

// FuzzPatterns holds any pattern against package regexp.
func FuzzPatterns(f *testing.F) {
	f.Add(`^[1-9][0-9]*$`, "10")
	f.Add(`^a\d{2}-[^b]+$`, "a12-c")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		want, err := regexp.Compile(pattern)
		tree := accept.Compile(&openapi3.Schema{Type: &openapi3.Types{"string"}, Pattern: pattern}, accept.Request)
		if err != nil || tree == nil {
			t.Skip()
		}
		if got := tree.Accepts(text); pattern != "" && got != want.MatchString(text) {
			t.Errorf("%q: %q accepted: %v", pattern, text, got)
		}
	})
}
