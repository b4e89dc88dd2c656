package dwh

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"svc.example/understudy/mockserver/internal/world"
)

// usualMode is the mode of the output, which decides what happens to existing records, unless the client says otherwise
// (public).
const usualMode = "append"

// fillDefaults fills in what answers show although the client has left it open (public): the mode of the output, and
// the kind of the warehouse in each configuration. Configurations that the client does not send now follow a change of
// that kind. What has the wrong form stays, for readConfigs to refuse.
func fillDefaults(g *world.WarehouseConfig, sent bool) error {
	var errs []error
	fill := func(text, path, value string) string {
		filled, err := sjson.Set(text, path, value)
		if errs = append(errs, err); err != nil {
			return text
		}
		return filled
	}
	if output := gjson.ParseBytes(g.Output); output.IsObject() && output.Get("mode").String() == "" {
		g.Output = []byte(fill(output.Raw, "mode", usualMode))
	}
	kind := gjson.GetBytes(g.Basic, "type").String()
	entries := gjson.ParseBytes(g.Advanced)
	if !entries.IsArray() {
		return errors.Join(errs...)
	}
	var texts []string
	for _, entry := range entries.Array() {
		text, config := entry.Raw, entry.Get("config")
		if is := config.Get("type").String(); config.IsObject() && is != kind && (is == "" || !sent) {
			text = fill(text, "config.type", kind)
		}
		texts = append(texts, text)
	}
	g.Advanced = []byte("[" + strings.Join(texts, ",") + "]")
	return errors.Join(errs...)
}
