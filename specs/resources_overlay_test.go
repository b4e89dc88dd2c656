package specs_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

const smallShop = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /shops/{shopId}/it's/{id}:
    get: {responses: {'200': {$ref: '#/components/responses/It'}}}
    put: {requestBody: {content: {application/json: {}}}, responses: {'200': {$ref: '#/components/responses/It'}}}
components:
  responses:
    It: {description: x, content: {application/json: {schema: {properties: {id: {type: string}}}}}}
`

func TestResourcesOverlay(t *testing.T) {
	t.Parallel()
	t.Run("names what was inferred, and of which operation", func(t *testing.T) {
		t.Parallel()
		want := `overlay: 1.0.0
info:
  title: The resources that were inferred of shop.yaml
  version: 1.0.0
actions:
  - target: $
    update:
      x-resources:
        it-s:
          key: /id
          path:
            - shopId
            - id
          x-provenance: assumed
  - target: $.paths['/shops/{shopId}/it\'s/{id}'].get
    update:
      x-resource:
        resource: it-s
        verb: get
  - target: $.paths['/shops/{shopId}/it\'s/{id}'].put
    update:
      x-resource:
        resource: it-s
        verb: update
`
		if diff := gocmp.Diff(want, overlayOf(t, mustLoadShop(t, smallShop, nil))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("is the same whenever it is made", func(t *testing.T) {
		t.Parallel()
		first := overlayOf(t, mustLoadShop(t, inferable, nil))
		for range 5 {
			if diff := gocmp.Diff(first, overlayOf(t, mustLoadShop(t, inferable+"\n", nil))); diff != "" {
				t.Fatalf("(-first +other):\n%s", diff)
			}
		}
	})
	t.Run("is nothing where there are no resources", func(t *testing.T) {
		t.Parallel()
		none := "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\npaths: {/health: {get: {responses: {'200': {description: x}}}}}\n"
		if text := overlayOf(t, mustLoadShop(t, none, nil)); text != "" {
			t.Errorf("got %s", text)
		}
	})
	t.Run("put into the document, describes the same resources", func(t *testing.T) {
		t.Parallel()
		shop, err := os.ReadFile("../mockserver/testdata/own/shop.yaml")
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{"small": smallShop, "inferable": inferable, "shop": string(shop)}
		files, _ := filepath.Glob(cmp.Or(os.Getenv("DOCUMENTS"), "none") + "/*.*")
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && filepath.Ext(file) != ".md" {
				texts[filepath.Base(file)] = string(text)
			}
		}
		for name, text := range texts {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				before := mustLoadShop(t, text, nil)
				overlay := overlayOf(t, before)
				after, err := loadShop(t, overlaid(t, text, overlay), nil)
				if err != nil {
					t.Fatalf("%v\n%s", err, overlay)
				}
				if after.Inferred {
					t.Error("what the document says is inferred again")
				}
				if err := after.CheckResources(); err != nil {
					t.Error(err)
				}
				if diff := gocmp.Diff(known(before), known(after)); diff != "" {
					t.Errorf("(-inferred +put into the document):\n%s", diff)
				}
				again := strings.Replace(overlayOf(t, after), "The resources of", "The resources that were inferred of", 1)
				if diff := gocmp.Diff(overlay, again); diff != "" {
					t.Errorf("(-first overlay +second):\n%s", diff)
				}
			})
		}
	})
}

func overlayOf(t *testing.T, doc *specs.Document) string {
	t.Helper()
	text, err := doc.ResourcesOverlay()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// known lists all that is known of the resources of a document.
func known(doc *specs.Document) string {
	var all strings.Builder
	for _, r := range doc.Resources() {
		fmt.Fprintf(&all, "%s %v %v %v %v\n", r.Name, r.Path, r.Keys, r.Parents, r.Provenance)
	}
	return all.String() + described(doc)
}

var operationTarget = regexp.MustCompile(`^\$\.paths\['(.*)'\]\.([a-z]+)$`)

// overlaid puts what an overlay says into a document.
func overlaid(t *testing.T, document, overlay string) string {
	t.Helper()
	var tree map[string]any
	var patch struct {
		Actions []struct {
			Target string
			Update map[string]any
		}
	}
	for text, into := range map[string]any{document: &tree, overlay: &patch} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	for _, action := range patch.Actions {
		object := tree
		if m := operationTarget.FindStringSubmatch(action.Target); m != nil {
			path := strings.ReplaceAll(m[1], `\'`, `'`)
			object = tree["paths"].(map[string]any)[path].(map[string]any)[m[2]].(map[string]any)
		} else if action.Target != "$" {
			t.Fatalf("target %s", action.Target)
		}
		maps.Copy(object, action.Update)
	}
	text, err := yaml.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
