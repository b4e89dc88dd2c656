package dwh

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// usualMode is the mode of the output, which decides what happens to existing records, unless the client says otherwise
// (public).
const usualMode = "append"

// fillDefaults fills in what answers show although the client has left it open (public): the mode of the output, and
// the kind of the warehouse in each configuration. Configurations that the client does not send now follow a change of
// that kind. What has the wrong form stays, for readConfigs to refuse.
func fillDefaults(g *world.WarehouseConfig, sent bool) {
	if output := jsontree.Parse(g.Output); output.IsObject() && output.Get("mode").Text() == "" {
		g.Output = []byte(output.With(`"`+usualMode+`"`, "mode"))
	}
	kind := jsontree.Parse(g.Basic).Get("type").Text()
	quoted, _ := jsontext.AppendQuote(nil, kind)
	entries := jsontree.Parse(g.Advanced)
	if !entries.IsArray() {
		return
	}
	var texts []string
	for entry := range entries.Each {
		text := entry.Raw()
		if is := entry.Get("config", "type").Text(); is != kind && (is == "" || !sent) {
			text = entry.With(string(quoted), "config", "type")
		}
		texts = append(texts, text)
	}
	g.Advanced = []byte("[" + strings.Join(texts, ",") + "]")
}

type guessForm struct {
	Basic    jsontext.Value  `json:"basic_configs"`
	Advanced []advancedEntry `json:"advanced_configs"`
}

// guessDwhConfig stores nothing (assumed). It looks into no warehouse, so that what it finds there is a table named
// after the schema, or the catalog, for the client to change (assumed).
var guessDwhConfig = op.Sent(func(
	_ *op.Call, body struct {
		Basic jsontext.Value `json:"basic_configs"`
	},
) (op.Reply, error) {
	var compact []byte
	if err := setPart(&compact, body.Basic); err != nil {
		return op.Reply{}, err
	}
	var basic basicConfigs
	if err := readPart("basic_configs", compact, &basic); err != nil {
		return op.Reply{}, err
	}
	if err := basic.check(); err != nil {
		return op.Reply{}, err
	}
	source := cmp.Or(basic.Schema, basic.Catalog) + "_TABLE"
	config := advancedConfig{Table: source}
	if basic.Incremental {
		config.IncrementalColumns = []string{"UPDATED_AT"}
	}
	return op.OK(guessForm{body.Basic, []advancedEntry{{tableName(source), config.withDefaults(basic)}}})
})

// tableName makes a name that a target table may have.
func tableName(source string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(source))
}

// withDefaults returns a configuration with the defaults of what it leaves open.
func (a advancedConfig) withDefaults(basic basicConfigs) advancedConfig {
	whole := a
	whole.Type = basic.Type
	switch basic.Type {
	case snowflake:
		whole.SourceType = cmp.Or(a.SourceType, "table_view") // the public default has an s too many
	case databricks:
		whole.UseCustomQuery = cmp.Or(a.UseCustomQuery, new(false))
	}
	if !whole.isQuery(basic.Type) {
		whole.Select = cmp.Or(a.Select, "*")
	}
	whole.Incremental = cmp.Or(a.Incremental, &basic.Incremental)
	whole.InvalidValueOption = cmp.Or(a.InvalidValueOption, "fail_job")
	return whole
}
