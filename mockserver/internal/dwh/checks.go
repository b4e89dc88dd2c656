package dwh

import (
	"errors"
	"fmt"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
)

// check refuses what could not be loaded. That each table comes once is assumed: its session is known by it.
func (p configs) check() error {
	errs := []error{p.Basic.check()}
	first := map[string]int{}
	for n, entry := range p.Advanced {
		at := fmt.Sprintf("advanced_configs.%d.", n)
		if before, twice := first[entry.Table]; twice && entry.Table != "" {
			errs = append(errs, op.Invalid(at+"target_table", "%s has entry %d twice; want it once", entry.Table, before))
			continue
		}
		first[entry.Table] = n
		errs = append(errs, entry.check(at, p.Basic.Type))
	}
	if len(p.raw.Output) > 0 && p.Output.Database == "" {
		errs = append(errs, missingField("output_config.database"))
	}
	return errors.Join(errs...)
}

func (b basicConfigs) check() error {
	type needed struct{ name, value string }
	var all []needed
	switch b.Type {
	case snowflake:
		all = []needed{{"warehouse", b.Warehouse}, {"db", b.DB}, {"schema", b.Schema}}
	case databricks:
		all = []needed{{"catalog", b.Catalog}}
	default:
		return op.Invalid("basic_configs.type", "want %s or %s, not %q", snowflake, databricks, b.Type)
	}
	var errs []error
	for _, n := range append(all, needed{authentication, string(b.Authentication)}) {
		if n.value == "" || n.value == `""` {
			errs = append(errs, missingField("basic_configs."+n.name))
		}
	}
	return errors.Join(errs...)
}

// check refuses a configuration that contradicts itself; it may leave everything open (assumed).
func (e advancedEntry) check(at, kind string) error {
	if e.Table == "" {
		return missingField(at + "target_table")
	}
	switch c := e.Config; {
	case c.Type != "" && c.Type != kind:
		return op.Invalid(at+"config.type", "want %s, as in basic_configs, not %q", kind, c.Type)
	case c.isQuery(kind) && c.Query == "":
		return op.Invalid(at+"config.query", "is missing: it names the source of the data")
	}
	return nil
}

// isQuery reports whether the data comes from a query.
func (c advancedConfig) isQuery(kind string) bool {
	return kind == snowflake && c.SourceType == "query" ||
		kind == databricks && c.UseCustomQuery != nil && *c.UseCustomQuery
}

// checkTargets refuses targets that do not exist: they are never made here (documented). Without a way into them they
// are not known.
func (p configs) checkTargets(c *op.Call) error {
	database := p.Output.Database
	if len(p.raw.Output) == 0 {
		return nil
	}
	d, ok := bridge.TargetDatabase(c.World, database)
	if !ok {
		return op.Invalid("output_config.database", "database %s does not exist: create it first", database)
	}
	if !bridge.MayImport(c.World, c.Caller, d) {
		return op.Forbidden("your permissions do not include import on database %s", database)
	}
	var errs []error
	for n, entry := range p.Advanced {
		if bridge.HasTable(c.World, d, entry.Table) {
			continue
		}
		errs = append(errs, op.Invalid(fmt.Sprintf("advanced_configs.%d.target_table", n),
			"table %s.%s does not exist: create it first", database, entry.Table))
	}
	return errors.Join(errs...)
}
