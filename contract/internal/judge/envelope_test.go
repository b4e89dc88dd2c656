package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
)

// envelope answers with JSON of the media type of envelopes.
func envelope(body string) func(*record.Item) {
	return answer([]byte(body), "Content-Type", "application/vnd.api+json")
}

// resource returns one of a type, with more members.
func resource(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"pageParts","links":{"self":"https://h/api/page_parts/%[1]s"}%s}`, id, more)
}

// collection returns a page of n resources, with links that lead to these offsets.
func collection(n, total int, links ...string) string {
	var data, list []string
	for i := range n {
		data = append(data, resource(fmt.Sprint("r", i), ""))
	}
	for _, link := range links {
		name, query, _ := strings.Cut(link, " ")
		list = append(list, fmt.Sprintf("%q:%q", name, query))
	}
	return fmt.Sprintf(`{"data":[%s],"meta":{"total":%d},"links":{%s}}`, strings.Join(data, ","), total,
		strings.Join(list, ","))
}

func TestPages(t *testing.T) {
	t.Parallel()
	j := probe(t)
	const to = "https://h/api/pages?page%5Blimit%5D=2&page%5Boffset%5D="
	first, end := "first "+to+"0", "last "+to+"4"
	for name, tt := range map[string]struct {
		query, body string
		want        []string
	}{
		"the first of three": {"page[limit]=2", collection(2, 5, first, end, "next "+to+"2"), nil},
		"the second of three": {
			"page[limit]=2&page[offset]=2", collection(2, 5, first, end, "next "+to+"4", "prev "+to+"0"),
			nil,
		},
		"the last of three": {"page%5Blimit%5D=2&page%5Boffset%5D=4", collection(1, 5, first, end, "prev "+to+"2"), nil},
		"the only one": {
			"",
			collection(3, 3, "first /api/pages?page[limit]=20&page[offset]=0", "last ?page[limit]=20&page[offset]=0"), nil,
		},
		"none":           {"page[limit]=2", collection(0, 0, first, "last "+to+"0"), nil},
		"beyond the end": {"page[limit]=2&page[offset]=9", collection(0, 5, first, end, "prev "+to+"4"), nil},
		"askew": {
			"page[limit]=2&page[offset]=1",
			collection(2, 5, first, "last "+to+"3", "next "+to+"3", "prev "+to+"0"), nil,
		},
		"links that say little": {
			"page[limit]=2&page[offset]=2",
			collection(2, 5, "first /api/pages", "last /api/pages?cursor=z", "next ?cursor=b", "prev ?cursor=a"), nil,
		},
		"no next on the last page, as null": {"", `{"data":[],"meta":{"total":0},"links":{"next":null}}`, nil},
		"no total":                          {"page[limit]=2", `{"data":[],"meta":{},"links":{}}`, nil},
		"an address taken out":              {"page[limit]=2", collection(2, 2, "first [redacted:0123456789abcdef]"), nil},
		"next is missing": {
			"page[limit]=2", collection(2, 5, first, end),
			[]string{`error schema /response/body/links: the link "next" is missing: the page has 2 of 5 resources, starting at 0`},
		},
		"next on the last page": {
			"page[limit]=2&page[offset]=4", collection(1, 5, first, end, "prev "+to+"2", "next "+to+"6"),
			[]string{`error schema /response/body/links/next: there must not be a link "next": the page has 1 of 5 resources, starting at 4`},
		},
		"prev is missing": {
			"page[limit]=2&page[offset]=4", collection(1, 5, first, end),
			[]string{`error schema /response/body/links: the link "prev" is missing: the page has 1 of 5 resources, starting at 4`},
		},
		"prev on the first page": {
			"page[limit]=2", collection(2, 2, first, "last "+to+"0", "prev "+to+"0"),
			[]string{`error schema /response/body/links/prev: there must not be a link "prev": the page has 2 of 2 resources, starting at 0`},
		},
		"too many resources": {
			"page[limit]=2", collection(3, 3, first, "last "+to+"2"),
			[]string{"error schema /response/body/data: the page has 3 resources, but at most 2 were requested"},
		},
		"more than by default": {
			"", collection(21, 21),
			[]string{"error schema /response/body/data: the page has 21 resources, but at most 20 were requested"},
		},
		"a limit off the contract": {"page[limit]=500", collection(100, 100), []string{
			`error schema /request/query/page[limit]: query parameter "page[limit]": number must be at most 100`,
		}},
		"links to pages of another size": {
			"page[limit]=2", collection(2, 5, "first /api/pages?page[limit]=20&page[offset]=0", end, "next "+to+"2"),
			[]string{`error schema /response/body/links/first: the link "first" leads to pages of 20 resources, want 2`},
		},
		"the first page is not the first": {
			"page[limit]=2", collection(2, 2, "first "+to+"2"),
			[]string{`error schema /response/body/links/first: the link "first" leads to the wrong page, starting at 2`},
		},
		"the last page is not the last": {
			"page[limit]=2", collection(2, 5, first, "last "+to+"2", "next "+to+"2"),
			[]string{`error schema /response/body/links/last: the link "last" leads to the wrong page, starting at 2`},
		},
		"the last page is beyond": {
			"page[limit]=2", collection(2, 4, first, "last "+to+"4", "next "+to+"2"),
			[]string{`error schema /response/body/links/last: the link "last" leads to the wrong page, starting at 4`},
		},
		"the next page is another one": {
			"page[limit]=2", collection(2, 5, first, end, "next "+to+"4"),
			[]string{`error schema /response/body/links/next: the link "next" leads to the wrong page, starting at 4`},
		},
		"the page before is another one": {
			"page[limit]=2&page[offset]=4", collection(1, 5, first, end, "prev "+to+"0"),
			[]string{`error schema /response/body/links/prev: the link "prev" leads to the wrong page, starting at 0`},
		},
		"filters are kept": {"page[limit]=2&filter[name]=a%20b", collection(2, 2, first+"&filter%5Bname%5D=a+b"), nil},
		"filters are lost": {
			"page[limit]=2&filter[name]=a", collection(2, 2, first),
			[]string{`notice schema /response/body/links/first: the link "first" does not keep filter[name]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := findingLines(j.Exchange(talk{"GET /pages?" + tt.query, "", 200, "", envelope(tt.body)}.item()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	j := probe(t)
	const (
		to    = `"relationships":{"home":{"data":{"type":"pageParts","id":"h"}}}`
		many  = `"relationships":{"homes":{"data":[{"type":"pageParts","id":"g"},{"type":"pageParts","id":"h"}]},"none":{"data":null}}`
		whole = `{"data":%s,"included":[%s]}`
	)
	g, h := resource("g", ""), resource("h", "")
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"itself":                     {fmt.Sprintf(`{"data":%s}`, resource("r", "")), nil},
		"in capitals":                {fmt.Sprintf(`{"data":%s}`, resource("R", "")), nil},
		"without an address":         {`{"data":{"id":"r","type":"pageParts"}}`, nil},
		"with a relative address":    {`{"data":{"id":"r","type":"pageParts","links":{"self":"page_parts/r"}}}`, nil},
		"with one that is taken out": {`{"data":{"id":"r","type":"pageParts","links":{"self":"[redacted:0123456789abcdef]"}}}`, nil},
		"another one": {
			fmt.Sprintf(`{"data":%s}`, resource("s", "")),
			[]string{"error schema /response/body/data/id: the id of the resource differs from the id in the path"},
		},
		"with the address of another one": {
			`{"data":{"id":"r","type":"pageParts","links":{"self":"/api/page_parts/s"}}}`,
			[]string{"error schema /response/body/data/links/self: the link to a resource does not end in its type and id"},
		},
		"with the address of another type": {
			`{"data":{"id":"r","type":"pageParts","links":{"self":"/api/pages/r"}}}`,
			[]string{"error schema /response/body/data/links/self: the link to a resource does not end in its type and id"},
		},
		"with another one":             {fmt.Sprintf(whole, resource("r", ","+to), h), nil},
		"with others":                  {fmt.Sprintf(whole, resource("r", ","+many), g+","+h), nil},
		"with another one's other one": {fmt.Sprintf(whole, resource("r", ","+many), resource("g", ","+to)+","+h), nil},
		"with what nothing refers to": {
			fmt.Sprintf(whole, resource("r", ""), h),
			[]string{`error schema /response/body/included/0: an included resource of type "pageParts" is not referenced`},
		},
		"with another one, twice": {
			fmt.Sprintf(whole, resource("r", ","+to), h+","+h),
			[]string{`error schema /response/body/included/1: a resource of type "pageParts" is included twice`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := findingLines(j.Exchange(talk{"GET /pages/r", "", 200, "", envelope(tt.body)}.item()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
