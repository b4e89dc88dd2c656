package scan_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"svc.example/understudy/internal/scan"
)

func TestStringsOutliveTheirText(t *testing.T) {
	t.Parallel()
	text := []byte(`"short" "sh\u006frt" "` + strings.Repeat("long", 100) + `"`)
	r := scan.Of(text)
	first, second, third := r.String(), r.String(), r.String()
	if !r.Done() {
		t.Error("the text is not read to its end")
	}
	r.Free()
	clear(text)
	if first != "short" || second != "short" || third != strings.Repeat("long", 100) {
		t.Errorf("got %q, %q, %q", first, second, third)
	}
}

func TestCountsAreWrittenInDigitsAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "200": 200, " 7 ": 7, "999999999999999999": 999999999999999999,
		"": -1, "-1": -1, "1.0": -1, "1e2": -1, "01": -1, "1000000000000000000": -1, `"1"`: -1, "1 2": -1,
	} {
		r := scan.Of([]byte(text))
		got := r.Count()
		if !r.Done() {
			got = -1
		}
		if r.Free(); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestMembersStandInTheirOrder(t *testing.T) {
	t.Parallel()
	r := scan.Of([]byte(`{ "a" : 1 , "bc" : 2 }`))
	defer r.Free()
	r.Want('{')
	if r.Member("b") || !r.Member("a") || r.Count() != 1 {
		t.Error("the first member is not a with 1")
	}
	if r.Member("a") || r.Member("b") || r.Member("bcd") || !r.Member("bc") || r.Count() != 2 {
		t.Error("the second member is not bc with 2")
	}
	if r.Want('}'); !r.Done() {
		t.Error("the object has no end")
	}
}

func TestValuesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` {"a" : [1, -2.5e3, "}\"", {}], "b": null} `: `{"a" : [1, -2.5e3, "}\"", {}], "b": null}`, `true`: `true`,
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000): strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001): "",
		`{"a" 1}`: "", `[1 2]`: "", `[1,]`: "", `{,}`: "", `nul`: "", `[`: "", `"a`: "", `01`: "", ``: "", `[1] 2`: "",
	} {
		r := scan.Of([]byte(text))
		got := string(r.Value())
		if !r.Done() {
			got = ""
		}
		if r.Free(); got != want {
			t.Errorf("%.40q is read as %.40q, want %.40q", text, got, want)
		}
	}
}

// FuzzString holds strings against package json, which does the same but for what is no Unicode.
func FuzzString(f *testing.F) {
	for _, text := range []string{
		`"a"`, `""`, `"\""`, `"\\\/\b\f\n\r\t"`, `"twelve bytes\""`, `"\u00e9\ud83d\ude00\n"`, `"\x"`, `"\`, `"a`, `"a\"`,
		"\"a\n\"", "\"\\n\n\"", "\"\\u0041\n\"", "\"12345678\x1f\"", "\"1234567\x7f\"", `"é1234567é"`, `"\u12"`,
		`"\u123`, `"a" b`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(text, `"`) {
			return
		}
		var want string
		isString := utf8.ValidString(text) && json.Unmarshal([]byte(text), &want) == nil
		r := scan.Of([]byte(text))
		defer r.Free()
		got := string(r.Bytes())
		switch isRead := r.Done(); {
		case isRead && (!isString || got != want):
			t.Errorf("%q is read as %q, want %q, %t", text, got, want, isString)
		case isString && !isRead && !strings.Contains(want, "\ufffd"):
			t.Errorf("%q is not read", text)
		}
	})
}
