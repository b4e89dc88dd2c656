package body_test

import (
	"reflect"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/body"
)

// texts are some that are one JSON value, and others that are not.
var texts = []string{
	`null`, `true`, `false`, `0`, `-0`, `-1.5`, `12345678901234567890.0123456789`, `""`, `"a"`, `{}`, `[]`, ` [ 1 , "a" ] `,
	`{"a":{"b":[null,true,{"c":""}]},"d":"é\u00e9\"\\\/\b\f\n\r\t"}`, "\t\r\n{\t\"a\"\r:\n1 }\n", `"\ud83d\ude00"`,
	`{"\u0061":1}`, strings.Repeat("[", 200) + strings.Repeat("]", 200),
	``, ` `, `nul`, `nulls`, `tru`, `True`, `01`, `-`, `+1`, `.5`, `1.`, `1.e1`, `1e`, `1 2`, `1,`, `[1,]`, `[,1]`, `[1 2]`, `[`, `]`,
	`{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{a:1}`, `{1:1}`,
	`"`, `"\`, `"\x"`, `"\u12"`, `"\ud83d"`, `"\ude00\ud83d"`, "\"\t\"", "\"\x00\"", "\"\xff\"", "1\x00", "\x00", `'a'`,
	"\ufeff1", `1//`, `NaN`,
}

// The rare forms are decoded with care, and so is all that stands beside one. It must make no difference.
func TestJSONIsReadAsItIsDecoded(t *testing.T) {
	t.Parallel()
	accepted := 0
	for _, text := range texts {
		if compareBesideLongExponent(t, text) {
			accepted++
		}
	}
	if want := 17; accepted != want {
		t.Errorf("%d texts are JSON, want %d", accepted, want)
	}
}

// compareBesideLongExponent reads a text alone, and in a list with a number that has a long exponent. It reports
// whether both are JSON.
func compareBesideLongExponent(t *testing.T, text string) bool {
	t.Helper()
	alone, err := body.DecodeJSON([]byte(text))
	beside, besideErr := body.DecodeJSON([]byte("[" + text + ",1e0001]"))
	list, _ := beside.([]any)
	switch {
	case besideErr != nil && strings.Contains(besideErr.Error(), "nested deeper"):
		return false
	case (err == nil) != (besideErr == nil && len(list) == 2):
		t.Errorf("%q: alone %v; beside a number with a long exponent %v, in a list of %d", text, err, besideErr, len(list))
	case err == nil && !reflect.DeepEqual(list[0], alone): // cmp.Diff takes for ever if values are deep
		t.Errorf("%q: alone %#v, beside a number with a long exponent %#v", text, alone, list[0])
	}
	return err == nil
}

// FuzzJSON reads texts as they are, and as they are decoded.
func FuzzJSON(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareBesideLongExponent(t, text) })
}
