package address_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/address"
)

func TestPlainAddressesAreCutAsTheyAreParsed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]address.Parts{
		"http://127.0.0.1:4010/core/v3":    {"http://127.0.0.1:4010", "http", "127.0.0.1:4010", "/core/v3", ""},
		"https://Core.svc.example":         {"https://Core.svc.example", "https", "Core.svc.example", "", ""},
		"https://core.svc.example:/":       {"https://core.svc.example:", "https", "core.svc.example:", "/", ""},
		"http://h//a/../b_c~d?":            {"http://h", "http", "h", "//a/../b_c~d", "?"},
		"http://h?a=%zz&b=http://u:p@h/?c": {"http://h", "http", "h", "", "?a=%zz&b=http://u:p@h/?c"},
		"http://h/x/y.z-1:run,a=@b+?n=10":  {"http://h", "http", "h", "/x/y.z-1:run,a=@b+", "?n=10"},
	} {
		checkCut(t, raw)
		got, isPlain := address.Cut(raw)
		if diff := cmp.Diff(want, got); !isPlain || diff != "" {
			t.Errorf("%s is plain: %t (-want +got):\n%s", raw, isPlain, diff)
		}
	}
}

func TestSemicolonsOfAQueryStandForThemselves(t *testing.T) {
	t.Parallel()
	want := url.Values{"a": {"1;b=2", ""}, ";": {""}}
	if got, err := address.Query("a=1;b=2&;&a"); err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}

func TestOtherAddressesHaveToBeParsed(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "/api/pools", "h/api", "http:/h", "http://", "http:///x", "http://:80/", "HTTP://h/", "ftp://h/", "httpx://h/",
		"http://u@h/", "http://u:p@h/", "http://h:p/", "http://[::1]/", "http://h/a%20b", "http://h/a b", "http://h/é",
		"http://h/#f", "http://h/?q#f", "http://h/a;b", "http://h/\x00", "http://h/?é", "http://h/? ",
	} {
		if _, isPlain := address.Cut(raw); isPlain {
			t.Errorf("%q is plain", raw)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("http://127.0.0.1:4010/core/v3?a=b&c#d")
	f.Add("https://a:b@h.x/%20/;?%zz")
	f.Fuzz(checkCut)
}

// checkCut holds the parts of an address, if it is plain, against those that package net/url finds.
func checkCut(t *testing.T, raw string) {
	t.Helper()
	p, isPlain := address.Cut(raw)
	if !isPlain {
		return
	}
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatalf("%q is cut into %+v, but not parsed: %v", raw, p, err)
	}
	parsed := address.Parts{
		Origin: u.Scheme + "://" + u.Host, Scheme: u.Scheme, Host: u.Host, Path: u.EscapedPath(),
	}
	if u.ForceQuery || u.RawQuery != "" {
		parsed.Query = "?" + u.RawQuery
	}
	if diff := cmp.Diff(parsed, p); diff != "" || u.User != nil || u.Fragment != "" || u.Path != p.Path {
		t.Errorf("%q is cut otherwise than it is parsed (-parsed +cut):\n%s", raw, diff)
	}
}

func TestHostsStandForOthersBelowTheirLastTwoLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		given, host string
		want        bool
	}{
		{"shop.example", "shop.example", true},
		{"shop.example", "a.shop.example", false},
		{"*.shop.example", "acme.shop.example", true},
		{"*.shop.example", "a.b.shop.example", false},
		{"*.shop.example", "shop.example", false},
		{"*.shop.example", ".shop.example", true},
		{"*-api.eu.shop.example:8443", "acme-api.eu.shop.example:8443", true},
		{"*-api.eu.shop.example", "acme.eu.shop.example", false},
		{"*.*.shop.example", "acme.eu.shop.example", true},
		{"*.example", "shop.example", false},
		{"*", "shop.example", false},
		{"shop.*", "shop.example", false},
		{"[::1]", "[::1]", true},
		{"[::1]", ":", false},
	} {
		if got := address.IsHost(tt.given, tt.host); got != tt.want {
			t.Errorf("%s is %s: %t", tt.host, tt.given, got)
		}
	}
}
