package dig_test

import (
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/dig"
)

func TestCheckProjectName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"a", "daily-load", "with space", "a1", "日本", ".hidden", "digger", strings.Repeat("x", 255),
	} {
		if err := dig.CheckProjectName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	wrong := []string{"", "1a", "x.dig", strings.Repeat("x", 256), "a\nb", "a\x00", "\xff"}
	for _, c := range `+^@/\:*?"<>|` {
		wrong = append(wrong, "a"+string(c)+"b")
	}
	for _, name := range wrong {
		if dig.CheckProjectName(name) == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

func TestCheckSecretKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "db.password", "A-1_b.2", strings.Repeat("k", 255)} {
		if err := dig.CheckSecretKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"", ".", "a.", ".a", "a..b", "a b", "ä", "a/b", strings.Repeat("k", 256)} {
		refused(t, dig.CheckSecretKey(key), "secret key")
	}
}

func TestErrorSaysWhere(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]dig.Error{
		"a.dig:3: wrong": {File: "a.dig", Line: 3, Reason: "wrong"},
		"a.dig: wrong":   {File: "a.dig", Reason: "wrong"},
		"line 3: wrong":  {Line: 3, Reason: "wrong"},
		"wrong":          {Reason: "wrong"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
