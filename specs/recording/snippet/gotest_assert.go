package snippet

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// assert returns the lines that compare the answer with the recorded one.
func (g *goTest) assert() string {
	recorded := status(g.exchange)
	if recorded == 0 {
		return "\tt.Logf(\"status %d: %s\", response.StatusCode, answer) // the recording has no answer\n"
	}
	var b strings.Builder
	want := strconv.Itoa(recorded)
	if name, ok := statusConstants()[recorded]; ok {
		want = "http." + name
	}
	fmt.Fprintf(&b, "\tif response.StatusCode != %s {\n", want)
	fmt.Fprintf(&b, "\t\tt.Fatalf(\"status %%d, want %d: %%s\", response.StatusCode, answer)\n\t}\n", recorded)
	rows := leaves(nil, gjson.Parse(wanted(g.exchange)))
	if len(rows) == 0 {
		return b.String()
	}
	g.imports["encoding/json"] = true
	b.WriteString("\tvar got any\n\tif err := json.Unmarshal(answer, &got); err != nil {\n\t\tt.Fatal(err)\n\t}\n" +
		"\tfor _, want := range []struct {\n\t\tvalue any\n\t\tpath  []any\n\t}{\n")
	for _, row := range rows {
		b.WriteString("\t\t" + row + ",\n")
	}
	return b.String() + lookUp
}

// lookUp is the end of a test, which finds each wanted value in the answer.
const lookUp = `	} {
		value := got
		for _, step := range want.path {
			object, _ := value.(map[string]any)
			list, _ := value.([]any)
			switch step := step.(type) {
			case string:
				value = object[step]
			case int:
				if value = nil; step < len(list) {
					value = list[step]
				}
			}
		}
		if value != want.value {
			t.Errorf("%v: %v, want %v", want.path, value, want.value)
		}
	}
`

// leaves returns the values of what is wanted as elements of a composite literal, each with its path. The path is in
// the form of Go already.
func leaves(path []string, v gjson.Result) (rows []string) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, value gjson.Result) bool {
			rows = append(rows, leaves(append(slices.Clip(path), goText(key.Str)), value)...)
			return true
		})
		return rows
	case v.IsArray():
		for i, value := range v.Array() {
			rows = append(rows, leaves(append(slices.Clip(path), strconv.Itoa(i)), value)...)
		}
		return rows
	}
	value := ""
	switch {
	case !v.Exists() || v.Raw == anything || v.Raw == more:
		return nil
	case v.Type == gjson.String:
		value = goText(v.Str)
	case v.Type == gjson.Number:
		if _, err := strconv.ParseFloat(v.Raw, 64); err != nil {
			return nil // too large
		}
		value = "float64(" + v.Raw + ")"
	case v.Type == gjson.Null:
		value = "nil"
	default:
		value = v.Raw
	}
	return []string{"{" + value + ", []any{" + strings.Join(path, ", ") + "}}"}
}

// statusConstants returns the names that net/http has for the statuses of the platform.
func statusConstants() map[int]string {
	return map[int]string{
		http.StatusOK: "StatusOK", http.StatusCreated: "StatusCreated", http.StatusAccepted: "StatusAccepted",
		http.StatusNoContent: "StatusNoContent", http.StatusBadRequest: "StatusBadRequest",
		http.StatusUnauthorized: "StatusUnauthorized", http.StatusForbidden: "StatusForbidden",
		http.StatusNotFound: "StatusNotFound", http.StatusMethodNotAllowed: "StatusMethodNotAllowed",
		http.StatusConflict: "StatusConflict", http.StatusUnprocessableEntity: "StatusUnprocessableEntity",
		http.StatusTooManyRequests:     "StatusTooManyRequests",
		http.StatusInternalServerError: "StatusInternalServerError",
	}
}
