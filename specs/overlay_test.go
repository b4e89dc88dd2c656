package specs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

const overlaidShop = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /products:
    get:
      tags: [a]
      responses: {'200': {description: x, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/P'}}}}}}
    post: {responses: {'201': {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/P'}}}}}}
  /products/{id}:
    get: {responses: {'200': {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/P'}}}}}}
    delete: {responses: {'204': {description: x}}}
components:
  schemas:
    P: {type: object, properties: {id: {type: string}, name: {type: string}}}
`

// overlay loads the shop with an overlay of these actions.
func overlay(t *testing.T, document, actions string) (*specs.Document, error) {
	t.Helper()
	folder := t.TempDir()
	file, changes := filepath.Join(folder, "shop.yaml"), filepath.Join(folder, "overlay.yaml")
	for name, text := range map[string]string{file: document, changes: actions} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return specs.LoadFile("shop", file, specs.Neutral, changes)
}

const overlayHead = "overlay: 1.0.0\ninfo: {title: x, version: '1'}\nactions:\n"

func TestOverlay(t *testing.T) {
	t.Parallel()
	t.Run("what was inferred can be applied unchanged", func(t *testing.T) {
		t.Parallel()
		for _, document := range []string{smallShop, overlaidShop} {
			plain := mustLoadShop(t, document, nil)
			written := overlayOf(t, plain)
			d, err := overlay(t, document, written)
			if err != nil || len(d.Ignored) > 0 || d.Inferred {
				t.Fatalf("Inferred %t, Ignored %v, error %v", d.Inferred, d.Ignored, err)
			}
			again := strings.Replace(overlayOf(t, d), "The resources of", "The resources that were inferred of", 1)
			if diff := gocmp.Diff(written, again); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	t.Run("objects are merged, lists are continued, and targets removed", func(t *testing.T) {
		t.Parallel()
		d, err := overlay(t, overlaidShop, overlayHead+`- {target: "$.info", update: {title: Other, contact: {name: Us}}}
- {target: "$.paths['/products'].get.tags", update: b}
- {target: "$.paths['/products'].get", update: {tags: [c], deprecated: true}}
- {target: "$.paths.*.delete", remove: true}
`)
		if err != nil {
			t.Fatal(err)
		}
		get := d.T.Paths.Value("/products").Get
		if d.T.Info.Title != "Other" || d.T.Info.Version != "1" || strings.Join(get.Tags, "") != "abc" || !get.Deprecated {
			t.Errorf("got info %+v, tags %v", d.T.Info, get.Tags)
		}
		if d.T.Paths.Value("/products/{id}").Delete != nil {
			t.Error("the operation was not removed")
		}
		text, err := d.Text()
		if err != nil || !strings.Contains(string(text), "Other") || strings.Contains(string(d.Source()), "Other") {
			t.Errorf("Text and Source: %v\n%s", err, text)
		}
	})
	t.Run("a target that matches nothing is noticed", func(t *testing.T) {
		t.Parallel()
		d, err := overlay(t, overlaidShop, overlayHead+"- {target: \"$.paths['/nothing']\", update: {a: b}}\n")
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Ignored) != 1 || d.Ignored[0].Line != 4 || filepath.Base(d.Ignored[0].File) != "overlay.yaml" {
			t.Errorf("got %+v", d.Ignored)
		}
	})
	t.Run("a mistake in what it adds is reported with its own file and line", func(t *testing.T) {
		t.Parallel()
		_, err := overlay(t, overlaidShop, overlayHead+`- target: $
  update:
    x-resources:
      product: {path: [id], keey: /id}
`)
		if err == nil || !strings.Contains(err.Error(), "overlay.yaml:7: /x-resources/product") {
			t.Errorf("got %v", err)
		}
	})
}

func TestOverlayMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ actions, want string }{
		"no overlay":          {"openapi: 3.0.0\n", "overlay.yaml:1: want an OpenAPI Overlay of version 1.0"},
		"another version":     {"overlay: 2.0.0\nactions: [{target: $, remove: true}]\n", "want an OpenAPI Overlay of version 1.0"},
		"no actions":          {"overlay: 1.0.0\nactions: []\n", "overlay.yaml:2: actions: want a list"},
		"no target":           {overlayHead + "- update: {a: b}\n", "overlay.yaml:4: an action without a target"},
		"an unknown key":      {overlayHead + "- {target: $, updates: {a: b}, update: {}}\n", `unknown key "updates"; want`},
		"nothing to do":       {overlayHead + "- {target: $}\n", "an action that does nothing"},
		"a remove of a word":  {overlayHead + "- {target: $, remove: yess}\n", "remove: want true or false"},
		"no JSONPath":         {overlayHead + "- {target: paths, update: {a: b}}\n", "is not a JSONPath"},
		"a scalar":            {overlayHead + "- {target: $.info.title, update: {a: b}}\n", "want objects or arrays"},
		"a list in an object": {overlayHead + "- {target: $.info, update: [a]}\n", "want an object as update"},
		"the whole":           {overlayHead + "- {target: $, remove: true}\n", "remove the whole document"},
		"a costly target":     {overlayHead + "- {target: $..*..*..*, update: {a: b}}\n", "want several actions with simpler targets"},
		"a long target":       {overlayHead + "- {target: $." + strings.Repeat("a", 5000) + ", update: {a: b}}\n", "at most 4096 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := overlay(t, overlaidShop, test.actions); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestOverlaysSettle(t *testing.T) {
	t.Parallel()
	t.Run("one without a name changes the only document", func(t *testing.T) {
		t.Parallel()
		o := specs.Overlays{"": {"o.yaml"}}
		if err := o.Settle(map[specs.Interface]string{"shop": "a"}); err != nil || len(o["shop"]) != 1 {
			t.Errorf("got %v, %v", o, err)
		}
		o = specs.Overlays{"": {"o.yaml"}}
		if err := o.Settle(map[specs.Interface]string{"shop": "a", "b": "b"}); err == nil {
			t.Error("two documents: no error")
		}
	})
	t.Run("one of the platform's interfaces changes the embedded document", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		file := filepath.Join(folder, "o.yaml")
		if err := os.WriteFile(file, []byte(overlayHead+"- {target: $.info, update: {title: Other}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o, documents := specs.Overlays{specs.DWH: {file}}, map[specs.Interface]string{}
		if err := o.Settle(documents); err != nil {
			t.Fatal(err)
		}
		d, err := specs.LoadFile(specs.DWH, documents[specs.DWH], specs.Neutral, file)
		if err != nil || d.T.Info.Title != "Other" || len(d.Operations) == 0 {
			t.Errorf("got %v, %v", d, err)
		}
	})
	t.Run("one without a document is refused", func(t *testing.T) {
		t.Parallel()
		if err := (specs.Overlays{"shop": {"o.yaml"}}).Settle(map[specs.Interface]string{}); err == nil {
			t.Error("no error")
		}
	})
}
