package ownership

import (
	"net/url"
	"testing"

	"svc.example/understudy/specs/recording"
)

// addresses are URLs that are plain, and others.
var addresses = []string{
	"http://127.0.0.1:4010/core/v3/job/list", "https://llm.svc.example/api/agents?page[limit]=10&a=%zz",
	"https://a", "https://a/", "https://a?b", "https://a/?", "https://a/b??c", "https://a//b/../c",
	"https://A/b", "https://a./b", "https://a:80/b", "https://a:443", "https://a:/b", "https://a:x/b",
	"https://u@a/b", "https://[::1]/b", "https://a/b%2Fc", "https://a/%zz", "https://a/b#c", "https://a/?b#c",
	"https://a/b c", "https://a/?b c", "https://a/\x7f", "https:///b", "http:/a/b", "HTTP://a/b", "wss://a/b",
	"/api/pools", "a:b", "://", "https://a/é", "https://a/user@b/x:y,z=1+2",
}

// A plain URL is read as package net/url does.
func TestPlainAddressesAreReadAsOthers(t *testing.T) {
	t.Parallel()
	plain := 0
	for _, raw := range addresses {
		if compareAddress(t, raw) {
			plain++
		}
	}
	if want := 9; plain != want {
		t.Errorf("%d URLs are plain, want %d", plain, want)
	}
}

func compareAddress(t *testing.T, raw string) (isPlain bool) {
	t.Helper()
	got, isPlain := plainAddress(raw)
	if !isPlain {
		return false
	}
	u, err := AddressOf(&recording.Request{URL: raw})
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	if want := (target{u.Scheme, hostOf(u), u.EscapedPath(), u.RawQuery}); got != want || u.User != (*url.Userinfo)(nil) {
		t.Errorf("%q is read as %q, want %q", raw, got, want)
	}
	return true
}

// FuzzAddresses holds plain URLs against package net/url.
func FuzzAddresses(f *testing.F) {
	for _, raw := range addresses {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) { compareAddress(t, raw) })
}
