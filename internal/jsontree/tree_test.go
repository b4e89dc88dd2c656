package jsontree_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
)

// decoded returns a value as package json decodes it, with a list of all its members in place of an object.
func decoded(v jsontree.Value) any {
	switch {
	case v.IsObject():
		members := []any{}
		for member := range v.Each {
			members = append(members, member.Name(), decoded(member))
		}
		return members
	case v.IsArray():
		list := []any{}
		for element := range v.Each {
			list = append(list, decoded(element))
		}
		return list
	case v.IsString():
		return v.Text()
	case v.IsNumber():
		return json.Number(v.Raw())
	case v.IsBool():
		return v.Bool()
	}
	return nil
}

// want returns the same by package json. The text has one value.
func want(d *json.Decoder) any {
	token, _ := d.Token()
	delimiter, isDelimiter := token.(json.Delim)
	if !isDelimiter {
		return token
	}
	list := []any{}
	for d.More() {
		if delimiter == '{' {
			name, _ := d.Token()
			list = append(list, name)
		}
		list = append(list, want(d))
	}
	_, _ = d.Token()
	return list
}

func checkTree(t *testing.T, text string) {
	t.Helper()
	var tree jsontree.Tree
	tree.Read(`{"what": ["was", {"read": "before"}]}`)
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if diff := cmp.Diff(want(d), decoded(tree.Read(text))); diff != "" {
		t.Errorf("%q is read otherwise than by package json (-want +got):\n%s", text, diff)
	}
}

func TestTreesHoldWhatIsInAText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"null", "true", " false ", "0", "-1.5e+3", `""`, `"a"`, "[]", "{}", " [ ] ", "\n{\t}\r\n", `[1,"2",null,[3]]`,
		`{"a":1,"a":2,"b":{"c":[{},{"d":"e"}]},"":[[],[]]}`, `{"\u0061\"}":"{\"x\":[\\","y\\":"\\"}`,
		`[{"a":[{"b":[{"c":1}]}]},{"a":"]"}]`, `{ "a" : [ 1 , 2 ] , "b" : "x" }`,
	} {
		checkTree(t, text)
	}
}

func FuzzTree(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u00e9\\"}],"a":null} `)
	f.Add(`[[],{},"",0,-1e5,true]`)
	f.Fuzz(func(t *testing.T, text string) {
		if isJSON := json.Valid([]byte(text)); isJSON != jsontree.Parse(text).Exists() {
			t.Fatalf("%q is JSON: %t, and is read: %t", text, isJSON, !isJSON)
		}
		// Package json replaces what is no Unicode, in its own way.
		if json.Valid([]byte(text)) && utf8.ValidString(text) && !strings.Contains(text, `\u`) {
			checkTree(t, text)
		}
	})
}

func TestValuesAreFoundByTheirPlace(t *testing.T) {
	t.Parallel()
	const text = `{"a":1,"b":{"c":2},"b":{"d":[10,{"e":"x"}]},"a":3,"n\u0061me":4,"1":5,"d":[[6]],"s":"{\"a\":1}"}`
	var tree jsontree.Tree
	root := tree.Read(text)
	for path, want := range map[string]string{
		"a": "1", "b c": "2", "b d 0": "10", "b d 1 e": "x", "name": "4", "1": "5", "d 0 0": "6",
		"c": "", "a b": "", "b d 2": "", "b d -1": "", "b d +1": "", "b d e": "", "s a": "", "b d 1 e f": "", "": "",
	} {
		got := root.Get(strings.Split(path, " ")...)
		if got.Text() != want || got.Exists() != (want != "") {
			t.Errorf("at %q stands %q, want %q", path, got.Text(), want)
		}
	}
	if whole := root.Get(); whole.Raw() != text {
		t.Errorf("without a path stands %s, want the whole text", whole.Raw())
	}
}

func TestValuesAreReadInTheirForms(t *testing.T) {
	t.Parallel()
	type forms struct {
		Text        string
		Int         int64
		Float       float64
		Bool        bool
		Len         int
		Each, Lists int
	}
	infinite, long := math.Inf(1), 123456789012345678901.0
	for text, want := range map[string]forms{
		`"7"`:    {Text: "7", Int: 7, Each: 1, Lists: 1},
		`"True"`: {Text: "True", Each: 1, Lists: 1},
		`"a\n"`:  {Text: "a\n", Each: 1, Lists: 1},
		"7":      {Text: "7", Int: 7, Float: 7, Bool: true, Each: 1, Lists: 1},
		"-7.50":  {Text: "-7.5", Int: -7, Float: -7.5, Bool: true, Each: 1, Lists: 1},
		"1e3":    {Text: "1000", Int: 1000, Float: 1000, Bool: true, Each: 1, Lists: 1},
		"1e-7":   {Text: "0.0000001", Float: 1e-7, Bool: true, Each: 1, Lists: 1},
		"-0":     {Text: "-0", Float: math.Copysign(0, -1), Each: 1, Lists: 1},
		"1e999":  {Text: "+Inf", Int: int64(infinite), Float: infinite, Bool: true, Each: 1, Lists: 1},
		`"-"`:    {Text: "-", Each: 1, Lists: 1},
		"9007199254740993": {
			Text: "9007199254740993", Int: 9007199254740993, Float: 9007199254740992, Bool: true, Each: 1, Lists: 1,
		},
		"123456789012345678901": {
			Text: "123456789012345678901", Int: int64(long), Float: long, Bool: true, Each: 1, Lists: 1,
		},
		"true":          {Text: "true", Bool: true, Each: 1, Lists: 1},
		"false":         {Text: "false", Each: 1, Lists: 1},
		"null":          {Each: 1},
		"[7, [8]]":      {Text: "[7, [8]]", Len: 2, Each: 2, Lists: 2},
		`{"a":1,"b":2}`: {Text: `{"a":1,"b":2}`, Each: 2, Lists: 1},
	} {
		var tree jsontree.Tree
		v := tree.Read(text)
		got := forms{Text: v.Text(), Int: v.Int(), Float: v.Float(), Bool: v.Bool(), Len: v.Len()}
		for range v.Each {
			got.Each++
		}
		for range v.List {
			got.Lists++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestTheAbsentValueIsEmpty(t *testing.T) {
	t.Parallel()
	var v jsontree.Value
	for range v.Each {
		t.Error("it has an element")
	}
	for range v.List {
		t.Error("it has an element")
	}
	isKnown := v.Exists() || v.IsObject() || v.IsNumber() || v.Get("a").Exists()
	if isKnown || v.Text() != "" || v.Raw() != "" || v.Int() != 0 {
		t.Errorf("it is there: %q", v.Text())
	}
}

// A text is a part of a body, which may be large, and is kept for longer.
func TestTextsDoNotShareTheMemoryOfTheWholeText(t *testing.T) {
	t.Parallel()
	text := strings.Clone(`{"name": "short", "long": "` + strings.Repeat("x", 1000) + `", "n": 12, "list": [1]}`)
	begin := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	var tree jsontree.Tree
	for member := range tree.Read(text).Each {
		for _, part := range []string{member.Name(), member.Text()} {
			if at := uintptr(unsafe.Pointer(unsafe.StringData(part))); at >= begin && at < begin+uintptr(len(text)) {
				t.Errorf("%.10q is a part of the whole text", part)
			}
		}
	}
}

// Values that are parsed alone stay valid, and what is no JSON has none.
func TestParse(t *testing.T) {
	t.Parallel()
	values := map[string]jsontree.Value{}
	for _, text := range []string{
		`{"a":[1,"b"]}`, `[null]`, "\t7\n", "", "{", "nan", `{"a":1}{}`, `[1,]`, `{"a" [`, `{"a":1,}`, `["\x"]`, `["\u12g4"]`,
		"[\"\\u0041\n\"]", "[\"\t\"]", "01", "nul", `"a`, "[\"\\", `[1 2]`, "\ufeff1",
	} {
		values[text] = jsontree.Parse(text)
	}
	got := map[string]any{}
	for text, value := range values {
		if value.Exists() {
			got[text] = decoded(value)
		}
	}
	want := map[string]any{
		`{"a":[1,"b"]}`: []any{"a", []any{json.Number("1"), "b"}}, `[null]`: []any{nil}, "\t7\n": json.Number("7"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list := values["[null]"]; list.IsNull() || !list.Get("0").IsNull() || list.Get("1").IsNull() {
		t.Error("null is what is null, and neither a list nor what is not there")
	}
}

// What is judged and what the rules know of it are of one text: both readers find the same in it, where the strict one
// takes it.
func TestReadersFindTheSame(t *testing.T) {
	t.Parallel()
	for text, isStrict := range map[string]bool{
		`{"a":[1,{"b":"\u00e9\\"}],"a\n":null}`: true,
		"\t[true, false, \"\", 1.50, -0]\n":     true,
		"{\"a\":\"\xff\"}":                      false,
		`{"a":1,"a":2}`:                         false,
		`"\ud800"`:                              false,
		`1e999`:                                 false,
		`1e-0001`:                               false,
		strings.Repeat("[", 102) + strings.Repeat("]", 102): false,
	} {
		all := jsontree.ReadAll(nil, []byte(text), text)
		strict := jsontree.Read(nil, []byte(text), text)
		if len(all) == 0 || (strict != nil) != isStrict {
			t.Errorf("%q has %d nodes, %d if it is read strictly", text, len(all), len(strict))
		}
		if strict != nil && !slices.Equal(strict, all) {
			t.Errorf("%q is %v, and read strictly %v", text, all, strict)
		}
	}
	if text := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000); jsontree.ReadAll(nil, []byte(text), text) != nil {
		t.Error("20,000 lists within each other are read")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	const text = `{"a":{"b.c":[1,{"#":"x"}],"a":null},"list":[{"n":"o","id":1.0},{"n":"p.q","id":2,"in":{"n":"r)"}},3],` +
		`"a":4,"empty":[],"\\":5,"@type":6}`
	root := jsontree.Parse(text)
	for path, want := range map[string]string{
		"": text, "a.b": "", `a.b\.c.0`: "1", `a.b\.c.1.\#`: `"x"`, "a.a": "null", "list.0.n": `"o"`, "list.9": "", "b": "",
		"list.#": "3", "empty.#": "0", "empty.#.a": "[]", "list.#.id": "[1.0,2]", "list.#.in.n": `["r)"]`, "a.#": "",
		`list.#(n=="p.q").id`: "2", "list.#(n==o).id": "1.0", "list.#(id==2).n": `"p.q"`, `list.#(in.n=="r)").id`: "2",
		`list.#(n=="z").id`: "", `list.#(x=="")`: "", `a\`: "", `\\`: "5", `@type`: "6", "list.#(n": "",
	} {
		if got := root.Find(path); got.Raw() != want || got.Exists() != (want != "") {
			t.Errorf("at %q stands %q, want %q", path, got.Raw(), want)
		}
	}
}

func TestNamesAreEscaped(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"nextPage_1-a:b": "nextPage_1-a:b", "a.b": `a\.b`, `\`: `\\`, "@odata.next": `\@odata\.next`, "é ü": "é ü", "#": `\#`,
	} {
		got := jsontree.Escape(name)
		text, err := json.Marshal(map[string]int{name: 1})
		if got != want || err != nil || jsontree.Parse(text).Find(got).Int() != 1 {
			t.Errorf("%q is escaped as %q, want %q, which leads to it", name, got, want)
		}
	}
}

func TestRawNames(t *testing.T) {
	t.Parallel()
	names := []string{`"a"`, `""`, `"\""`, `"\\"`, `"\\\" :"`, `"\u00e9"`, `","`}
	for _, space := range []string{"", " ", "\n\t"} {
		separator := space + ":" + space
		text := "{" + strings.Join(names, separator+`"x\"",`+space) + separator + "[]}"
		var got []string
		for member := range jsontree.Parse(text).Each {
			got = append(got, member.RawName())
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	const text = ` {"b": 1, "a":{"c" : [2], "c": 3, "d": {}}, "list":[{"n":1}], "e.f":4 } `
	root := jsontree.Parse(text)
	for path, want := range map[string]string{
		"b":        `{"b": NEW, "a":{"c" : [2], "c": 3, "d": {}}, "list":[{"n":1}], "e.f":4 }`,
		"a c":      `{"b": 1, "a":{"c" : NEW, "c": 3, "d": {}}, "list":[{"n":1}], "e.f":4 }`,
		"a d x\"":  `{"b": 1, "a":{"c" : [2], "c": 3, "d": {"x\"":NEW}}, "list":[{"n":1}], "e.f":4 }`,
		"list 0 m": `{"b": 1, "a":{"c" : [2], "c": 3, "d": {}}, "list":[{"n":1,"m":NEW}], "e.f":4 }`,
		"e.f":      `{"b": 1, "a":{"c" : [2], "c": 3, "d": {}}, "list":[{"n":1}], "e.f":NEW }`,
		"z":        `{"b": 1, "a":{"c" : [2], "c": 3, "d": {}}, "list":[{"n":1}], "e.f":4 ,"z":NEW}`,
		"b x":      strings.TrimSpace(text),
		"no x":     strings.TrimSpace(text),
		"list 1":   strings.TrimSpace(text),
	} {
		if got := root.With("NEW", strings.Split(path, " ")...); got != want {
			t.Errorf("with another value at %q it is\n%s, want\n%s", path, got, want)
		}
	}
	if inner := root.Get("a").With("4", "c"); inner != `{"c" : 4, "c": 3, "d": {}}` {
		t.Errorf("a part is %s", inner)
	}
}
