package dwh

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// integrations lists those that the caller may see. What makes or changes one reaches into other interfaces.
var integrations = resource.New(resource.Of[world.Warehouse]{
	Noun: "integration", IDs: "dwh.integration", Key: "dwh_id", Dialect: dialect, Page: paging.PageOf,
	Rows: func(w *world.State) *table.Table[world.Warehouse] { return &w.DWH.Integrations },
	Match: func(c *op.Call) (func(world.Warehouse) bool, error) {
		return func(i world.Warehouse) bool { return mayUse(c.Caller, i) }, nil
	},
	View: func(c *op.Call, i world.Warehouse) any { return integrationView(c.World, i) },
})

// mayUse reports whether a caller may use an integration: administrators and the owner may use all, others those that
// they have created (assumed).
func mayUse(caller world.Caller, i world.Warehouse) bool {
	return caller.Administers() || i.User == caller.User.ID
}

type integrationForm struct {
	ID             int64  `json:"id"`
	Name           string `json:"name"`
	UserID         int64  `json:"user_id"`
	AccountID      int64  `json:"account_id"`
	ProjectID      int64  `json:"workflow_project_id"`
	ProjectName    string `json:"workflow_project_name"`
	ConfigID       int64  `json:"dwh_config_id"`
	ScheduleType   string `json:"schedule_type"`
	ScheduleOption string `json:"schedule_option"`
	Timezone       string `json:"timezone"`
	CreatedAt      string `json:"created_at"`
	UpdatedAt      string `json:"updated_at"`
}

func integrationView(w *world.State, i world.Warehouse) integrationForm {
	return integrationForm{
		ID: i.ID, Name: i.Name, UserID: i.User, AccountID: w.Account.ID,
		ProjectID: i.Project, ProjectName: bridge.Project(w, i.Project).Name, ConfigID: i.Config.ID,
		ScheduleType: i.Schedule.Type, ScheduleOption: i.Schedule.Option, Timezone: i.Schedule.Timezone,
		CreatedAt: op.Instant(i.CreatedAt), UpdatedAt: op.Instant(i.UpdatedAt),
	}
}

func listDwhIntegrations(c *op.Call) (op.Reply, error) { return integrations.List(c) }

func getDwhIntegration(c *op.Call) (op.Reply, error) {
	i, err := integrationFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(integrationView(c.World, i))
}

func createDwhIntegration(c *op.Call) (op.Reply, error) {
	i, err := createIntegration(c, c.World.NewID(integrations.IDs))
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(integrationView(c.World, i))
}

// createIntegration makes an integration and everything that belongs to it.
func createIntegration(c *op.Call, id int64) (world.Warehouse, error) {
	i, parts, err := newIntegration(c, id)
	if err != nil {
		return i, err
	}
	return i, putIntegration(c, &i, parts)
}

// newIntegration returns the integration that a request describes, without a project.
func newIntegration(c *op.Call, id int64) (world.Warehouse, configs, error) {
	i, parts, err := readRequest(c, world.Warehouse{
		ID: id, User: c.Caller.User.ID, Schedule: world.WarehouseSchedule{Type: never, Timezone: "UTC"},
		CreatedAt: c.Now, UpdatedAt: c.Now,
	})
	if err != nil {
		return i, parts, err
	}
	i.Config.ID = c.World.NewID("dwh.config")
	i.Config.CreatedAt, i.Config.UpdatedAt = c.Now, c.Now
	return i, parts, nil
}

// updateDwhIntegration leaves everything as it is when nothing would change.
func updateDwhIntegration(c *op.Call) (op.Reply, error) {
	before, err := integrationFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	i, parts, err := readRequest(c, before)
	if err != nil {
		return op.Reply{}, err
	}
	reconfigured := i.Config.Digest != before.Config.Digest
	if !reconfigured && i.Name == before.Name && i.Schedule == before.Schedule {
		return op.OK(integrationView(c.World, before))
	}
	i.UpdatedAt = c.Now
	if reconfigured {
		i.Config.UpdatedAt = c.Now
	}
	if err := putIntegration(c, &i, parts); err != nil {
		return op.Reply{}, err
	}
	return op.OK(integrationView(c.World, i))
}

// putIntegration stores an integration, and updates its sessions and its project.
func putIntegration(c *op.Call, i *world.Warehouse, parts configs) error {
	before, _ := c.World.DWH.Sessions.Get(i.ID)
	sessions := parts.sessions(c.World, *i, before)
	if err := uploadProject(c, i, parts, sessions); err != nil {
		return err
	}
	c.World.DWH.Integrations.Put(i.ID, *i)
	c.World.DWH.Sessions.Put(i.ID, sessions)
	return nil
}

// deleteDwhIntegration takes the workflow project and the bulk load sessions along (documented). An attempt that is
// under way goes on, as it does when a project is deleted by hand (assumed).
func deleteDwhIntegration(c *op.Call) (op.Reply, error) {
	i, err := integrationFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	before := integrationView(c.World, i)
	bridge.RemoveProject(c.World, i.Project, c.Now)
	table.Delete(&c.World.DWH.Sessions, i.ID)
	table.Delete(&c.World.DWH.Integrations, i.ID)
	return op.OK(before)
}

// integrationFromPath returns the integration of the path, if the caller may use it.
func integrationFromPath(c *op.Call) (world.Warehouse, error) {
	_, i, err := resource.Find[world.Warehouse](integrations, c)
	if err == nil {
		err = requireOwn(c, i)
	}
	return i, err
}

func requireOwn(c *op.Call, i world.Warehouse) error {
	if mayUse(c.Caller, i) {
		return nil
	}
	return op.Forbidden("integration %d belongs to another user: only that user and administrators may use it", i.ID)
}

const maxName = 255 // characters (assumed)

// request is the body of a creation or an update. What is absent stays as it is; each part of the configurations is
// replaced as a whole.
type request struct {
	Name     *string        `json:"name"`
	Basic    jsontext.Value `json:"basic_configs"`
	Advanced jsontext.Value `json:"advanced_configs"`
	Output   jsontext.Value `json:"output_config"`
	Filter   jsontext.Value `json:"filter_configs"`
	Type     *string        `json:"schedule_type"`
	Option   *string        `json:"schedule_option"`
	Timezone *string        `json:"timezone"`
}

// readRequest applies the body to an integration, and checks what comes out of it. Targets are looked for when the body
// names some, so that an integration whose table was deleted can still be renamed (assumed).
func readRequest(c *op.Call, i world.Warehouse) (world.Warehouse, configs, error) {
	var r request
	if err := c.Decode(&r); err != nil {
		return i, configs{}, err
	}
	if err := r.apply(&i); err != nil {
		return i, configs{}, err
	}
	parts, err := readConfigs(i.Config)
	if err != nil {
		return i, parts, err
	}
	err = errors.Join(checkName(i.Name), parts.check(), checkSchedule(i.Schedule))
	if err == nil && (isPresent(r.Output) || isPresent(r.Advanced)) {
		err = parts.checkTargets(c)
	}
	return i, parts, err
}

func (r request) apply(i *world.Warehouse) error {
	setText(&i.Name, r.Name)
	setText(&i.Schedule.Type, r.Type)
	setText(&i.Schedule.Option, r.Option)
	setText(&i.Schedule.Timezone, r.Timezone)
	g := &i.Config
	err := errors.Join(setPart(&g.Basic, r.Basic), setPart(&g.Advanced, r.Advanced), setPart(&g.Output, r.Output),
		setPart(&g.Filter, r.Filter))
	if err == nil {
		err = fillDefaults(g, isPresent(r.Advanced))
	}
	g.Digest = digestOf(g.Basic, g.Advanced, g.Output, g.Filter)
	return err
}

func setText(field, to *string) {
	if to != nil {
		*field = *to
	}
}

// setPart keeps a part in the form in which dumps write it, so that it comes back from one as it was.
func setPart[T ~[]byte](part *T, to jsontext.Value) error {
	if !isPresent(to) {
		return nil
	}
	compact, err := jsontext.AppendFormat(nil, to)
	if err != nil {
		return op.Invalid("", "request body: %v", err)
	}
	*part = compact
	return nil
}

// isPresent takes null for absence.
func isPresent(part jsontext.Value) bool { return len(part) > 0 && part.Kind() != 'n' }

func checkName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return missingField("name")
	case n > maxName:
		return op.Invalid("name", "want 1 to %d characters, not %d", maxName, n)
	}
	return nil
}

func missingField(field string) error { return op.Invalid(field, "is missing") }

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
