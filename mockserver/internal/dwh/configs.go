package dwh

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// configs holds what the handlers read of an integration's configurations: the members that the document has.
type configs struct {
	Basic    basicConfigs
	Advanced []advancedEntry
	Output   outputConfig
	Filter   []filter

	raw     world.WarehouseConfig
	entries []jsontext.Value // of Advanced, as they were sent
}

// The kinds of data warehouses.
const (
	snowflake  = "snowflake"
	databricks = "databricks"
)

type basicConfigs struct {
	Type           string         `json:"type"`
	Authentication jsontext.Value `json:"svc_authentication_id"` // text or a number
	Role           string         `json:"role,omitzero"`
	Warehouse      string         `json:"warehouse,omitzero"`
	DB             string         `json:"db,omitzero"`
	Catalog        string         `json:"catalog,omitzero"`
	Schema         string         `json:"schema,omitzero"`
	Incremental    bool           `json:"incremental"`
}

type advancedEntry struct {
	Table  string         `json:"target_table"`
	Config advancedConfig `json:"config"`
}

type advancedConfig struct {
	Type               string           `json:"type,omitzero"`
	SourceType         string           `json:"source_type,omitzero"`      // of a snowflake
	UseCustomQuery     *bool            `json:"use_custom_query,omitzero"` // of a databricks
	Query              string           `json:"query,omitzero"`
	Select             string           `json:"select,omitzero"`
	Table              string           `json:"table,omitzero"`
	Where              string           `json:"where,omitzero"`
	OrderBy            string           `json:"order_by,omitzero"`
	Incremental        *bool            `json:"incremental,omitzero"`
	IncrementalColumns []string         `json:"incremental_columns,omitzero"`
	InvalidValueOption string           `json:"invalid_value_option,omitzero"`
	LastRecord         []jsontext.Value `json:"last_record,omitzero"`
}

type outputConfig struct {
	Database   string `json:"database"`
	Mode       string `json:"mode,omitzero"`
	TimeColumn string `json:"time_column,omitzero"`
}

type filter struct {
	Type string         `json:"type,omitzero"`
	From jsontext.Value `json:"from_column,omitzero"`
	To   jsontext.Value `json:"to_column,omitzero"`
}

// readConfigs takes the parts apart. The filters may be missing, and so may the way into the targets, which an official
// client never sends although a public document requires it.
func readConfigs(from world.WarehouseConfig) (configs, error) {
	parts := configs{raw: from}
	return parts, errors.Join(
		readPart("basic_configs", from.Basic, &parts.Basic), readPart("advanced_configs", from.Advanced, &parts.Advanced),
		readOptional("output_config", from.Output, &parts.Output), readOptional("filter_configs", from.Filter, &parts.Filter),
		readPart("advanced_configs", from.Advanced, &parts.entries),
	)
}

func readPart(name string, raw []byte, into any) error {
	if len(raw) == 0 {
		return missingField(name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return op.Invalid(name, "%v", err)
	}
	return nil
}

func readOptional(name string, raw []byte, into any) error {
	if len(raw) == 0 {
		return nil
	}
	return readPart(name, raw, into)
}

// digestOf returns a digest that distinguishes values of different meaning, but not those whose members stand in
// another order.
func digestOf(values ...[]byte) string {
	sum := sha256.New()
	for _, value := range values {
		canonical := jsontext.Value(value).Clone()
		if err := canonical.Canonicalize(); err != nil {
			canonical = jsontext.Value(value) // nothing, where a part is missing
		}
		_, _ = sum.Write(append(canonical, 0)) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// digest is that of the n-th load: of its own entry, and of what all loads share.
func (p configs) digest(n int) string {
	return digestOf(p.raw.Basic, p.entries[n], p.raw.Output, p.raw.Filter)
}

type configsForm struct {
	ID        int64          `json:"id"`
	Digest    string         `json:"config_digest"`
	CreatedAt string         `json:"created_at"`
	UpdatedAt string         `json:"updated_at"`
	Basic     jsontext.Value `json:"basic_configs"`
	Advanced  jsontext.Value `json:"advanced_configs"`
	Output    jsontext.Value `json:"output_config"`
	Filter    jsontext.Value `json:"filter_configs"`
}

var getDwhConfigs = op.On(integrationFromPath, func(_ *op.Call, i world.Warehouse) (op.Reply, error) {
	g := i.Config
	form := configsForm{
		ID: g.ID, Digest: g.Digest, CreatedAt: op.Instant(g.CreatedAt), UpdatedAt: op.Instant(g.UpdatedAt),
		Basic: jsontext.Value(g.Basic), Advanced: jsontext.Value(g.Advanced), Output: jsontext.Value(g.Output),
		Filter: jsontext.Value(g.Filter),
	}
	if len(g.Output) == 0 {
		form.Output = jsontext.Value(`{"mode":"` + usualMode + `"}`)
	}
	if len(g.Filter) == 0 {
		form.Filter = jsontext.Value("[]")
	}
	return op.OK(form)
})
