package dwh

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"svc.example/understudy/mockserver/internal/world"
)

// usualMode is what becomes of records that are there unless the client says otherwise (public).
const usualMode = "append"

// fillDefaults fills in what answers show although the client has left it open (public): the mode of the output, and the
// kind of the warehouse in each configuration. Configurations that the client does not send now follow a change of that
// kind. What has the wrong form stays, for readConfigs to refuse.
func fillDefaults(g *world.WarehouseConfig, sent bool) error {
	var errs []error
	fill := func(part *[]byte, path, text string) {
		filled, err := sjson.SetBytes(*part, path, text)
		if errs = append(errs, err); err == nil {
			*part = filled
		}
	}
	if output := gjson.ParseBytes(g.Output); output.IsObject() && output.Get("mode").String() == "" {
		fill((*[]byte)(&g.Output), "mode", usualMode)
	}
	kind := gjson.GetBytes(g.Basic, "type").String()
	entries := gjson.ParseBytes(g.Advanced)
	if !entries.IsArray() {
		return errors.Join(errs...)
	}
	for n, entry := range entries.Array() {
		config := entry.Get("config")
		if is := config.Get("type").String(); config.IsObject() && is != kind && (is == "" || !sent) {
			fill((*[]byte)(&g.Advanced), fmt.Sprintf("%d.config.type", n), kind)
		}
	}
	return errors.Join(errs...)
}
