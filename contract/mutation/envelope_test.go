package mutation_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs/recording"
)

// pages makes pages of collections contradict themselves.
func pages(v *valid) (list []mutant) {
	body, _ := decoded(sides[1].text(v.Exchange)).(map[string]any)
	data, isMany := body["data"].([]any)
	meta, hasMeta := body["meta"].(map[string]any)
	links, hasLinks := body["links"].(map[string]any)
	if !isMany || !hasMeta || !hasLinks || meta["total"] == nil || sides[1].schema(v) == nil {
		return nil
	}
	add := func(kind string, path []any, value any) {
		list = append(list, v.with("page: "+kind, fmt.Sprint(path), "", func(e *recording.Exchange) {
			sides[1].edit(func(text []byte) []byte { return changed(text, path, value) })(e)
		}))
	}
	u, _ := url.Parse(v.Request.URL)
	offset, _ := strconv.Atoi(u.Query().Get("page[offset]"))
	if links["next"] == nil {
		add("more than it says, and no next page", []any{"meta", "total"}, json.Number(fmt.Sprint(offset+len(data)+1)))
		add("a next page behind the last one", []any{"links", "next"}, "/api/x?page[offset]=99")
	} else {
		add("no next page, though there is more", []any{"links", "next"}, nil)
		add("a next page, though there is no more", []any{"meta", "total"}, json.Number(fmt.Sprint(offset+len(data))))
	}
	if offset == 0 {
		add("a page before the first one", []any{"links", "prev"}, "/api/x?page[offset]=0")
	}
	if first, ok := links["first"].(string); ok && strings.Contains(first, "offset") {
		add("the first page is another one", []any{"links", "first"}, "/api/x?page[offset]=7")
	}
	return list
}

// resources makes resources contradict their addresses, and those that come along nothing that refers to them.
func resources(v *valid) (list []mutant) {
	body, _ := decoded(sides[1].text(v.Exchange)).(map[string]any)
	if body == nil || sides[1].schema(v) == nil {
		return nil
	}
	each := map[string][]any{"data": {"data"}}
	if many, ok := body["data"].([]any); ok {
		delete(each, "data")
		if len(many) > 0 {
			each["data/0"] = []any{"data", 0}
		}
	}
	for at, path := range each {
		one, _ := valueAt(body, path).(map[string]any)
		links, _ := one["links"].(map[string]any)
		if self, ok := links["self"].(string); ok && one["id"] != nil && one["type"] != nil {
			list = append(list, v.with("resource: the address of another one", at, "", sides[1].edit(func(text []byte) []byte {
				return changed(text, append(slices.Clip(path), "links", "self"), other(self))
			})))
		}
	}
	included, _ := body["included"].([]any)
	for i, one := range included {
		more := included
		list = append(list, v.with("resource: included twice", fmt.Sprint(i), "", sides[1].edit(func(text []byte) []byte {
			return changed(text, []any{"included"}, append(slices.Clip(more), one))
		})))
		id, _ := valueAt(one, []any{"id"}).(string)
		list = append(list, v.with("resource: included, and nothing refers to it", fmt.Sprint(i), "",
			sides[1].edit(func(text []byte) []byte {
				text = removed(text, []any{"included", i, "links"})
				return changed(text, []any{"included", i, "id"}, other(id))
			})))
	}
	return list
}

func valueAt(value any, path []any) any {
	for _, token := range path {
		switch v := value.(type) {
		case map[string]any:
			name, _ := token.(string)
			value = v[name]
		case []any:
			i, _ := token.(int)
			value = v[i]
		}
	}
	return value
}

// other returns another id of the same form: its last digit is another one.
func other(id string) string {
	i := strings.LastIndexAny(id, "0123456789")
	if i < 0 {
		return id + "x"
	}
	return id[:i] + string('0'+(id[i]-'0'+1)%10) + id[i+1:]
}

// otherIDs answers with another thing than the path names.
func otherIDs(v *valid) (list []mutant) {
	template := v.op.Path[strings.LastIndexByte(v.op.Path, '/')+1:]
	name, isParameter := strings.CutSuffix(strings.TrimPrefix(template, "{"), "}")
	asked := v.match.Param(name)
	body := decoded(sides[1].text(v.Exchange))
	if !isParameter || asked == "" || v.Response.Status/100 != 2 || sides[1].schema(v) == nil {
		return nil
	}
	for _, path := range [][]any{{"id"}, {"data", "id"}} {
		id := valueAt(body, path)
		if _, isObject := body.(map[string]any); !isObject || fmt.Sprint(id) != asked {
			continue
		}
		var another any = other(asked)
		if _, isNumber := id.(json.Number); isNumber {
			another = json.Number(other(asked))
		}
		if another == json.Number("0") {
			another = json.Number("9")
		}
		list = append(list, v.with("an answer about another one than the path names", fmt.Sprint(path), "",
			sides[1].edit(func(text []byte) []byte { return changed(text, path, another) })))
	}
	return list
}
