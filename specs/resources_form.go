package specs

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed resources.schema.json
var resourcesSchema string

const resourcesSchemaName = "resources.schema.json"

// compiledResourcesSchema is made when a user's own document describes resources.
var compiledResourcesSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.CompileString(resourcesSchemaName, resourcesSchema)
})

// ResourcesSchema returns the JSON Schema of what documents say of resources.
func ResourcesSchema() string { return resourcesSchema }

// checkForm holds the document against the JSON Schema.
func (c *resourceChecker) checkForm() {
	schema, err := compiledResourcesSchema()
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	tree, err := treeOf(c.index.root)
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](schema.Validate(tree)); ok {
		c.explain(invalid)
	}
}

// explain adds the innermost reasons of an error.
func (c *resourceChecker) explain(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		c.explain(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	message := e.Message
	at, keyword := path.Split(e.AbsoluteKeywordLocation)
	if keyword == "additionalProperties" {
		message += ": want one of " + strings.Join(knownKeys(strings.TrimSuffix(at, "/")), ", ")
	}
	pointer, err := url.PathUnescape(e.InstanceLocation) // it is written as a fragment of a URL
	if err != nil {
		pointer = e.InstanceLocation
	}
	c.add(pointer, "%s", message)
}

// knownKeys lists the properties of the schema at a location.
func knownKeys(location string) []string {
	var node any
	if json.Unmarshal([]byte(resourcesSchema), &node) != nil {
		return nil
	}
	_, pointer, _ := strings.Cut(location, "#")
	for _, token := range splitPointer(pointer + "/properties") {
		object, _ := node.(map[string]any)
		node = object[token]
	}
	known, _ := node.(map[string]any)
	return sortedKeys(known)
}
