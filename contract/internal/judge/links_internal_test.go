package judge

import (
	"net/url"
	"testing"
)

// links are texts at the edges of what a URL is.
var links = []string{
	"", "https://", "http://a", "http:///a", "https://a/b?c=d", "https://a/b?c=%zz", "https://a/%zz", "https://a:b/",
	"ftp://a/b", "/a/b", "https://a/[", "http://a/b c", "http://a/b?c#d", "https://.-/?",
}

// FuzzLinks holds what is cut at a glance against the parser of the standard library.
func FuzzLinks(f *testing.F) {
	for _, text := range links {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, query, ok := cutLink(text)
		if u, err := url.Parse(text); ok != (err == nil) || ok && (path != u.Path || query != u.RawQuery) {
			t.Errorf("%q is cut into %q and %q, %t", text, path, query, ok)
		}
	})
}
