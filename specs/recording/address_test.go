package recording_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs/recording"
)

// cut holds the parts of an address.
type cut struct{ Origin, Path, Query string }

func TestPlainAddressesAreCutAsTheyAreParsed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]cut{
		"http://127.0.0.1:4010/core/v3":        {"http://127.0.0.1:4010", "/core/v3", ""},
		"https://Core.svc.example":             {"https://Core.svc.example", "", ""},
		"https://core.svc.example:/":           {"https://core.svc.example:", "/", ""},
		"http://h//a/../b_c~d?":                {"http://h", "//a/../b_c~d", "?"},
		"http://h?a=%zz&b=http://u:p@h/?c":     {"http://h", "", "?a=%zz&b=http://u:p@h/?c"},
		"http://h/table/show/x/y.z-1?limit=10": {"http://h", "/table/show/x/y.z-1", "?limit=10"},
	} {
		checkCut(t, address)
		origin, path, query, isPlain := recording.CutPlain(address)
		if diff := cmp.Diff(want, cut{origin, path, query}); !isPlain || diff != "" {
			t.Errorf("%s is plain: %t (-want +got):\n%s", address, isPlain, diff)
		}
	}
}

func TestOtherAddressesHaveToBeParsed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "/api/pools", "h/api", "http:/h", "http://", "http:///x", "http://:80/", "HTTP://h/", "ftp://h/", "httpx://h/",
		"http://u@h/", "http://u:p@h/", "http://h:p/", "http://[::1]/", "http://h/a%20b", "http://h/a b", "http://h/a:b",
		"http://h/é", "http://h/#f", "http://h/?q#f", "http://h/a;b", "http://h/\x00",
	} {
		if _, _, _, isPlain := recording.CutPlain(address); isPlain {
			t.Errorf("%q is plain", address)
		}
	}
}

func FuzzCutPlain(f *testing.F) {
	f.Add("http://127.0.0.1:4010/core/v3?a=b&c#d")
	f.Add("https://a:b@h.x/%20/;?%zz")
	f.Fuzz(checkCut)
}

// checkCut holds the parts of an address, if it is plain, against those that package url finds.
func checkCut(t *testing.T, address string) {
	t.Helper()
	origin, path, query, isPlain := recording.CutPlain(address)
	if !isPlain {
		return
	}
	u, err := url.Parse(origin + path)
	if err != nil || u.Scheme+"://"+u.Host != origin || u.Path != path || u.EscapedPath() != path || u.User != nil {
		t.Errorf("%q is cut into %q and %q, but parsed as %v, error %v", address, origin, path, u, err)
	}
	whole, err := url.Parse(address)
	if err == nil && (whole.Host != u.Host || whole.Path != path || whole.Fragment != "" ||
		query != "" && "?"+whole.RawQuery != query || query == "" && whole.RawQuery != "") {
		t.Errorf("%q has the query %q, but is parsed as %#v", address, query, whole)
	}
}
