package bulkload

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// sentConfig returns the configuration of the body.
func sentConfig(c *op.Call) (raw []byte, config map[string]any, err error) {
	var body struct {
		Config jsontext.Value `json:"config"`
	}
	if err := c.Decode(&body); err != nil {
		return nil, nil, err
	}
	if body.Config == nil {
		return nil, nil, op.Invalid("config", "is missing: want the configuration of a load, a JSON object")
	}
	if raw, err = loadConfig(body.Config); err == nil {
		err = json.Unmarshal(raw, &config)
	}
	return raw, config, err
}

// GuessBulkLoad adds the settings that follow from the name of the files, and the output that a load needs (assumed).
// The mock cannot read the files themselves.
var GuessBulkLoad = op.OnTwo(sentConfig, func(_ *op.Call, _ []byte, config map[string]any) (op.Reply, error) {
	if in, ok := config["in"].(map[string]any); ok {
		guessFiles(in)
	}
	if config["out"] == nil {
		config["out"] = map[string]any{"mode": "append"}
	}
	return op.OK(map[string]any{"config": config})
})

// guessFiles adds a parser, and a decoder of compressed files, to an input that names files.
func guessFiles(in map[string]any) {
	name, _ := in["path_prefix"].(string)
	if name == "" {
		return
	}
	name, packed := strings.CutSuffix(name, ".gz")
	if packed && in["decoders"] == nil {
		in["decoders"] = []any{map[string]any{"type": "gzip"}}
	}
	if in["parser"] != nil {
		return
	}
	parser := map[string]any{"charset": "UTF-8", "newline": "LF", "columns": []any{}}
	switch path.Ext(name) {
	case ".json", ".jsonl":
		parser = map[string]any{"type": "json"}
	case ".tsv":
		parser["type"], parser["delimiter"] = "csv", "\t"
	default:
		parser["type"], parser["delimiter"], parser["quote"] = "csv", ",", "\""
	}
	in["parser"] = parser
}

type previewColumn struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	Type  string `json:"type"`
}

// PreviewBulkLoad returns the rows that are queued for the configuration, which stay queued; without any, the columns
// that the configuration names.
var PreviewBulkLoad = op.OnTwo(sentConfig, func(c *op.Call, raw []byte, config map[string]any) (op.Reply, error) {
	columns, records := namedColumns(config), [][]any{}
	copied := *c.World
	queued := result.Take(&copied, world.Job{Type: jobs.BulkLoadJob, BulkLoad: raw})
	var err error
	if queued != nil && queued.Output != nil {
		out := queued.Output
		columns = nil
		for n, column := range out.Columns {
			columns = append(columns, previewColumn{n, column[0], column[1]})
		}
		err = result.Form{Limit: out.Count}.EachRow(out, func(row []any) error {
			records = append(records, slices.Clone(row))
			return nil
		})
	}
	return op.Reply{Body: map[string]any{"schema": columns, "records": records}}, err
})

// namedColumns returns the columns that a configuration names, for a parser or for the input itself.
func namedColumns(config map[string]any) []previewColumn {
	columns := []previewColumn{}
	in, _ := config["in"].(map[string]any)
	parser, _ := in["parser"].(map[string]any)
	for _, place := range []map[string]any{parser, in} {
		list, _ := place["columns"].([]any)
		for _, item := range list {
			column, _ := item.(map[string]any)
			name, _ := column["name"].(string)
			kind, _ := column["type"].(string)
			if name != "" {
				columns = append(columns, previewColumn{len(columns), name, kind})
			}
		}
	}
	return columns
}
