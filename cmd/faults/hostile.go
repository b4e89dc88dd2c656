package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc.example/understudy/specs"
)

// hostile is a way to make a small request that costs much.
type hostile struct {
	name   string
	change func(*specs.Operation, *http.Request) (body []byte)
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// hostiles lists the ways. Bodies that are as large for every operation are made once.
func hostiles() []hostile {
	return []hostile{
		{"gzip of 5,000,000 empty objects", packed(func(op *specs.Operation) string { return objects(op, 5_000_000) })},
		{"gzip of 190,000 empty objects", packed(func(op *specs.Operation) string { return objects(op, 190_000) })},
		{"gzip of 190,000 members", packed(func(*specs.Operation) string { return members(190_000) })},
		{
			"gzip of 256 MiB of spaces",
			packed(func(*specs.Operation) string { return `{"a":1` + strings.Repeat(" ", 256<<20) + "}" }),
		},
		{"100,000 arrays in one another", plain(jsonType, func(op *specs.Operation) string {
			return fmt.Sprintf(`{%q:%s`, listMember(op), strings.Repeat("[", 100_000))
		})},
		{
			"numbers of a million digits",
			plain(jsonType, func(op *specs.Operation) string { return values(op, strings.Repeat("9", 1_000_000)) }),
		},
		{
			"numbers with exponents of nine digits",
			plain(jsonType, func(op *specs.Operation) string { return values(op, "-1e999999999") }),
		},
		{"texts of 2 MiB", plain(jsonType,
			func(op *specs.Operation) string { return values(op, `"`+strings.Repeat("é", 1<<20)+`"`) })},
		{
			"a form of 200,000 fields",
			plain(formType, func(op *specs.Operation) string { return fields(listMember(op)+"[]", 200_000) }),
		},
		{"a form of 9,999 fields", plain(formType, func(*specs.Operation) string { return fields("f", 9_999) })},
		{"9,999 parts", plain("multipart/form-data; boundary=b", func(*specs.Operation) string { return parts(9_999) })},
		{"MessagePack whose lengths lie", plain("application/octet-stream", func(*specs.Operation) string {
			return pack(strings.Repeat("\xdf\xff\xff\xff\xff\xdd\xff\xff\xff\xff", 10_000))
		})},
		{"100,000 parameters of the query", func(_ *specs.Operation, r *http.Request) []byte {
			r.URL.RawQuery = fields("q", 100_000)
			return nil
		}},
		{"50,000 headers", func(_ *specs.Operation, r *http.Request) []byte {
			for i := range 50_000 {
				r.Header.Set("X-Many-"+strconv.Itoa(i), "1")
			}
			return nil
		}},
	}
}

// plain makes a body of a media type.
func plain(media string, text func(*specs.Operation) string) func(*specs.Operation, *http.Request) []byte {
	return func(op *specs.Operation, r *http.Request) []byte {
		r.Header.Set("Content-Type", media)
		return []byte(text(op))
	}
}

// packed makes a body of JSON in gzip. Operations whose texts are the same share one.
func packed(text func(*specs.Operation) string) func(*specs.Operation, *http.Request) []byte {
	var mu sync.Mutex
	bodies := map[string][]byte{}
	return func(op *specs.Operation, r *http.Request) []byte {
		r.Header.Set("Content-Type", jsonType)
		r.Header.Set("Content-Encoding", "gzip")
		mu.Lock()
		defer mu.Unlock()
		member := listMember(op)
		if bodies[member] == nil {
			bodies[member] = []byte(pack(text(op)))
		}
		return bodies[member]
	}
}

func pack(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one that there is
	_, _ = w.Write([]byte(text))                    // nothing fails in memory
	_ = w.Close()
	return b.String()
}

// membersOf lists the members that a body of an operation may have.
func membersOf(op *specs.Operation) (names []string) {
	if schema := op.JSONBody(); schema != nil {
		for name := range schema.Properties {
			names = append(names, name)
		}
		for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
			for name := range part.Value.Properties {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// listMember returns a member of a body that is a list, or else any.
func listMember(op *specs.Operation) string {
	names := membersOf(op)
	if len(names) == 0 {
		return "data"
	}
	for _, name := range names {
		if property := op.JSONBody().Properties[name]; property != nil && property.Value.Type.Is("array") {
			return name
		}
	}
	return names[0]
}

func objects(op *specs.Operation, n int) string {
	return fmt.Sprintf(`{%q:[%s{}]}`, listMember(op), strings.Repeat("{},", n-1))
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":{},`, i)
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

// values gives up to four members of a body the same value.
func values(op *specs.Operation, value string) string {
	names := membersOf(op)
	list := []string{fmt.Sprintf(`"id":%s`, value)}
	for _, name := range names[:min(4, len(names))] {
		list = append(list, fmt.Sprintf(`%q:%s`, name, value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

func fields(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d=1&", name, i)
	}
	return strings.TrimSuffix(b.String(), "&")
}

func parts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=\"p%d\"\r\n\r\n1\r\n", i)
	}
	return b.String() + "--b--\r\n"
}
