package dwh

import (
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

var getDwhIntegration = op.On(integrationFromPath, func(c *op.Call, i world.Warehouse) (op.Reply, error) {
	return op.OK(integrationView(c.World, i))
})

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
var updateDwhIntegration = op.On(integrationFromPath, func(c *op.Call, before world.Warehouse) (op.Reply, error) {
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
})

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
var deleteDwhIntegration = op.On(integrationFromPath, func(c *op.Call, i world.Warehouse) (op.Reply, error) {
	before := integrationView(c.World, i)
	bridge.RemoveProject(c.World, i.Project, c.Now)
	table.Delete(&c.World.DWH.Sessions, i.ID)
	table.Delete(&c.World.DWH.Integrations, i.ID)
	return op.OK(before)
})

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
