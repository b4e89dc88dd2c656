package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// covered returns the parts that a result shows, by aspect.
func covered(r *judge.Result) (parts [coverage.Aspects]report.Parts) {
	if len(r.Touched) == 0 {
		return parts
	}
	c := coverage.NewCollector()
	c.Add(r.Operation(), 0, r.Touched)
	return c.Parts(r.Operation())
}

// seenIn returns all that a result shows, in one list.
func seenIn(r *judge.Result) []string {
	var list []string
	for _, parts := range covered(r) {
		list = append(list, parts.Covered...)
	}
	return list
}

func contentType(kind string) func(*record.Item) {
	return func(i *record.Item) {
		for _, headers := range []recording.Headers{i.Request.Headers, i.Response.Headers} {
			for n := range headers {
				if headers[n][0] == "Content-Type" {
					headers[n][1] = kind
				}
			}
		}
	}
}

func TestWhatAMessageShows(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for name, tt := range map[string]struct {
		talk
		want string
	}{
		"parameters that were given": {
			talk{"GET /things?limit=3&f[s]=1", "", 200, `[]`, requestHeader("X-Trace", "1")},
			"200 application/json|header X-Trace|query f|query limit",
		},
		"the end of a path, out of a list of values": {
			talk{"GET /tail/orders.json", "", 200, "", nil},
			"200|path format|path table|path format=.json",
		},
		"properties of the items of a list": {
			talk{"GET /things", "", 200, `[{"name":"a"},{"labels":{"x":"y"}}]`, nil},
			"200 application/json|200 /*/labels|200 /*/labels/*|200 /*/name",
		},
		"a property that is null was not seen": {
			talk{"GET /things/7", "", 200, `{"name":null,"owner":null,"free":{},"labels":{"x":null}}`, nil},
			"200 application/json|path id|200 /free|200 /labels",
		},
		"a faulty body shows what it has": {
			talk{"GET /things/7", "", 200, `{"name":7,"other":1}`, nil},
			"200 application/json|path id|200 /name",
		},
		"values of enumerations in both directions": {
			talk{"POST /things", `{"name":"a","kind":"big"}`, 201, `{"name":"a","kind":"small"}`, nil},
			"application/json|201 application/json|201 /kind=small|request /kind=big|201 /kind|201 /name|request " +
				"/kind|request /name",
		},
		"members of a form are properties of the request": {
			talk{"POST /things", `name=a&kind=huge`, 400, "", contentType("application/x-www-form-urlencoded")},
			"application/x-www-form-urlencoded|request /kind|request /name",
		},
		"members in the query are, too, and no body is no media type": {
			talk{"POST /jobs/trino?query=q", "", 200, "", nil},
			"200|path type|request /query",
		},
		"a body that cannot be read shows that it was there": {
			talk{"GET /things/7", "", 200, `{"name":"a"`, nil},
			"200 application/json|path id",
		},
		"an undocumented status shows nothing": {
			talk{"GET /things/7", "", 418, `{"name":"a"}`, nil},
			"path id",
		},
		"an undocumented media type neither": {
			talk{"GET /things/7", "", 200, `{"name":"a"}`, contentType("text/html")},
			"path id",
		},
		"lines are a list": {
			talk{"GET /lines", "", 200, `{"name":"a"}` + "\n" + `{"kind":"big"}`, contentType("application/x-ndjson")},
			"200 application/x-ndjson|200 /*/kind=big|200 /*/kind|200 /*/name",
		},
		"a query that cannot be read shows nothing": {
			talk{"GET /things?limit=%zz", "", 200, `[]`, nil},
			"200 application/json",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := strings.Split(tt.want, "|")
			if diff := cmp.Diff(want, seenIn(j.Exchange(tt.item()))); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}

// What was not seen is what is documented otherwise: for requests without what only answers have, and the other way
// round.
func TestWhatAMessageMisses(t *testing.T) {
	t.Parallel()
	parts := covered(probe(t).Exchange(talk{"POST /things", `{"name":"a"}`, 201, `{"name":"a"}`, nil}.item()))
	missed := slices.Concat(parts[coverage.RequestParts].Uncovered, parts[coverage.ResponseParts].Uncovered,
		parts[coverage.PropertyParts].Uncovered)
	for part, want := range map[string]bool{
		"application/x-www-form-urlencoded": true, "400 application/json": true, "400 /message": true, "201 /id": true,
		"201 /owner/name": true, "201 /labels/*": true, "request /secret": true,
		"request /id": false, "201 /secret": false, "201 /name": false, "201 /tags/*": false,
	} {
		if slices.Contains(missed, part) != want {
			t.Errorf("%s is missed: %t, want %t, in %q", part, !want, want, missed)
		}
	}
}

// A schema that contains itself has a catalogue with an end, and so has one whose parts multiply.
func TestCataloguesEnd(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{openapi: 3.0.3, info: {title: T, version: '1'}, paths: {/x: {get: {operationId: x, responses: {'200': {description: ok,
		content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}}}, components: {schemas: {
		Tree: {properties: {name: {type: string}, leaf: {$ref: '#/components/schemas/Tree'}, all: {items: {$ref: '#/components/schemas/Tree'}}}},
		S40: {$ref: '#/components/schemas/Tree'}`)
	for i := range 40 {
		next := fmt.Sprintf("{$ref: '#/components/schemas/S%d'}", i+1)
		fmt.Fprintf(&b, ", S%d: {properties: {a: %s, b: %s}}", i, next, next)
	}
	b.WriteString(`}}}`)
	d, err := specs.Parse(specs.Workflow, "nasty.yaml", []byte(b.String()), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	if n := coverage.ExtentOf(d.Operations[0]).Parts[coverage.PropertyParts]; n < 1000 || n > 20_000 {
		t.Errorf("%d properties", n)
	}
}
