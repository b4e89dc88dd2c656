package specs_test

import (
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

func TestPlatformKey(t *testing.T) {
	t.Parallel()
	const admin = "1/98443fd4a13db713b533fc77791e6ebc8e180a08" // printf %s 1/admin | sha1sum
	for key, want := range map[string]string{
		"1/admin": admin,
		admin:     admin,
		"1/0123456789abcdef0123456789abcdef0123456": "1/", // one digit short
	} {
		if got := specs.PlatformKey(1, key); !strings.HasPrefix(got, want) || !specs.IsPlatformKey(got) {
			t.Errorf("%s: %s, want %s…", key, got, want)
		}
	}
	if got := specs.PlatformKey(42, "1/admin"); got != "42"+admin[1:] {
		t.Errorf("in account 42: %s", got)
	}
	if got := specs.PlatformKey(42, admin); got != admin {
		t.Errorf("a key in the form already became %s", got)
	}
	for _, key := range []string{
		"", "1/admin", "/" + admin[2:], "a" + admin[1:], strings.ToUpper(admin), admin + "0",
		" " + admin, admin[2:],
	} {
		if specs.IsPlatformKey(key) {
			t.Errorf("%q is taken for a platform key", key)
		}
	}
	for text, want := range map[string]bool{
		admin: true, "the key " + admin + ", or not": true, strings.Replace(admin, "/", `\/`, 1): true,
		"1/admin": false, "a/" + admin[2:]: false, admin[:41]: false, "": false,
	} {
		if specs.HoldsPlatformKey(text) != want || specs.HoldsPlatformKey([]byte(text)) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
}
