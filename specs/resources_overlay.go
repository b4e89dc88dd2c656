package specs

import (
	"bytes"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

type overlay struct {
	Overlay string          `yaml:"overlay"`
	Info    overlayInfo     `yaml:"info"`
	Actions []overlayAction `yaml:"actions"`
}

type overlayInfo struct {
	Title   string `yaml:"title"`
	Version string `yaml:"version"`
}

type overlayAction struct {
	Target string         `yaml:"target"`
	Update map[string]any `yaml:"update"`
}

// ResourcesOverlay returns what is known of the document's resources as an OpenAPI Overlay 1.0, in YAML: the extensions
// that it has itself, or those that say what was inferred of it. It returns nil if there are none.
func (d *Document) ResourcesOverlay() ([]byte, error) {
	title := "The resources of " + filepath.Base(d.File)
	if d.Inferred {
		title = "The resources that were inferred of " + filepath.Base(d.File)
	}
	o := overlay{Overlay: "1.0.0", Info: overlayInfo{title, "1.0.0"}}
	o.add("$", d.T.Extensions, defaultsExtension, resourcesExtension)
	for _, op := range d.Operations {
		path, method, _ := strings.Cut(strings.TrimPrefix(op.Pointer, "/paths/"), "/")
		o.add("$.paths['"+inQuotes.Replace(path)+"']."+method, op.Spec.Extensions, resourceExtension)
	}
	if len(o.Actions) == 0 {
		return nil, nil
	}
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(o); err != nil {
		return nil, err
	}
	return text.Bytes(), e.Close()
}

// inQuotes writes a token of a JSON pointer as a name within quotes in a JSONPath.
var inQuotes = strings.NewReplacer("~1", "/", "~0", "~", `\`, `\\`, "'", `\'`)

// add adds an action for those of the extensions that are there.
func (o *overlay) add(target string, extensions map[string]any, names ...string) {
	update := map[string]any{}
	for _, name := range names {
		if value, found := extensions[name]; found {
			update[name] = value
		}
	}
	if len(update) > 0 {
		o.Actions = append(o.Actions, overlayAction{target, update})
	}
}
