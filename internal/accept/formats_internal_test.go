package accept

import "testing"

// What is recognized at a glance has the format.
func TestQuickFormatsAcceptNothingElse(t *testing.T) {
	t.Parallel()
	for _, text := range formatted {
		compareFormats(t, text)
	}
	for name, text := range map[string]string{
		"date-time": "2026-01-28T23:59:59.999Z",
		"uuid":      "5dd290e9-2766-453c-8B7F-77e8f8d2b921", "uri": "https://llm.svc.example/api/agents?page[limit]=10&a=b",
	} {
		if f := Known[name].(quickFormat); !f.has(text) {
			t.Errorf("%s %q is not recognized", name, text)
		}
	}
}

// formatted are texts at the edges of formats.
var formatted = []string{
	"", "5dd290e9-2766-453c-8b7f-77e8f8d2b921", "5dd290e9-2766-453c-8b7f-77e8f8d2b92g",
	"5dd290e9-2766-453c-8b7f-77e8f8d2b92",
	"5dd290e902766-453c-8b7f-77e8f8d2b921", "5dd290e9-2766-453c-8b7f--7e8f8d2b921", "https://", "http://a", "http:///a",
	"https://a/b?c=d", "https://a/b?c=%zz", "https://a/%zz", "https://a:b/", "ftp://a/b", "/a/b", "https://a/[",
	"http://a/b c",
	"2026-01-15T09:30:00Z", "2026-02-30T09:30:00Z", "2026-01-15", "2026-02-30", "2026-01-15T09:30:00.Z",
	"http://a/b?c#d", "https://.-/?", `https://a/b?\=d`, "https://a/ü",
}

// RFC 3339, 5.6: a date has no time.
func TestADateHasNoTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"2026-01-15": true, "2026-01-15T09:30:00Z": false, "2026-02-30": false} {
		if err := Known["date"].Validate(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// RFC 3986, 2: a URI has ASCII characters alone, and others escaped.
func TestAURIHasEscapedCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://h.example/%C3%BC": true, "https://h.example/ü": false, "https://ü.example/": false,
		"https://h.example/?q=ü": false,
		"https://h.example/#ü":   false, "urn:ü": false, "mailto:ü@h.example": false, "https://h.example/{x}": false,
		"https://xn--tda.example/": true, "https://h.example/?q=a&b=[c]": true,
	} {
		if err := Known["uri"].Validate(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func compareFormats(t *testing.T, text string) {
	t.Helper()
	for name, format := range Known {
		f, isQuick := format.(quickFormat)
		if isQuick && f.has(text) && f.StringFormatValidator.Validate(text) != nil {
			t.Errorf("%q is taken for a %s", text, name)
		}
	}
}

// FuzzFormats holds what is recognized at a glance against the formats.
func FuzzFormats(f *testing.F) {
	for _, text := range formatted {
		f.Add(text)
	}
	f.Fuzz(compareFormats)
}
