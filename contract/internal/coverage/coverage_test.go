package coverage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

const document = `{openapi: 3.0.3, info: {title: T, version: '1'}, paths: {
	/things: {post: {operationId: makeThing,
		requestBody: {content: {application/json: {schema: {properties: {name: {type: string}, kind: {enum: [big, small]}}}}}},
		responses: {'201': {description: ok}, '400': {description: no}}}},
	/rest: {get: {operationId: getRest, responses: {'200': {description: ok}}}}}}`

// A collector adds up what exchanges touch, and counts what documents have beside it.
func TestCollector(t *testing.T) {
	t.Parallel()
	d, err := specs.Parse(specs.Workflow, "things.yaml", []byte(document), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	op := d.Find("POST", "/things").Operation
	documents, c := []*specs.Document{d}, coverage.NewCollector()
	for status, kind := range map[int]any{201: "big", 400: nil} {
		request, response := coverage.NewSet(op), coverage.NewSet(op)
		request.RequestBody("application/json")
		request.RequestValue(jsontree.Of(map[string]any{"kind": kind, "unknown": 1.0}), false)
		if status == 201 {
			response.Response("201", "")
		}
		c.Add(op, status, []*coverage.Set{request, response})
	}
	r := c.Report(documents, nil)
	want := report.Touched{
		Exchanges: 2, Statuses: map[string]int{"201": 1, "400": 1},
		Requests:   report.Parts{Covered: []string{"application/json"}},
		Responses:  report.Parts{Covered: []string{"201"}, Uncovered: []string{"400"}},
		Enums:      report.Parts{Covered: []string{"request /kind=big"}, Uncovered: []string{"request /kind=small"}},
		Properties: report.Parts{Covered: []string{"request /kind"}, Uncovered: []string{"request /name"}},
	}
	if diff := cmp.Diff(want, r.Operations["workflow.makeThing"]); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"workflow.getRest": {"200"}}, r.Untouched); diff != "" {
		t.Errorf("untouched (-want +got):\n%s", diff)
	}
	if r.Covered != 1 || r.Documented != 2 {
		t.Errorf("%d of %d operations", r.Covered, r.Documented)
	}
	reached := coverage.Thresholds([]report.Threshold{{Axis: report.Operations, Want: 60}}, r)
	if reached[0].Got != 50 {
		t.Errorf("%v percent of the operations", reached[0].Got)
	}
}
