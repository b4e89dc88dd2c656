package dwh

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
)

// Seed creates the integrations that a fixture describes, through the handlers of requests. Databases, tables and users
// are there already. The error names all that cannot be made.
func Seed(w *world.State, f fixtures.DWH) error {
	s := &seed.Context{World: w, Part: "dwh"}
	for n, i := range f.Integrations {
		s.Check(seedIntegration(s, i), "integration "+i.Name, "integrations", n)
	}
	return s.Err()
}

func seedIntegration(s *seed.Context, f fixtures.Integration) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	user, err := s.User(f.User)
	if err != nil {
		return err
	}
	created, err := s.Past(f.CreatedAt, s.World.Now())
	if err != nil {
		return fixtures.At(err, "createdAt", "createdAt")
	}
	id := s.ID(integrations.IDs, f.ID)
	var sessions []world.BulkloadSession // to come, with the ids that the fixture has
	for _, table := range slices.Sorted(maps.Keys(f.SessionIDs)) {
		sessions = append(sessions, world.BulkloadSession{ID: int64(f.SessionIDs[table]), Table: table})
	}
	if len(sessions) > 0 {
		s.World.DWH.Sessions.Put(id, sessions)
	}
	call := &op.Call{World: s.World, Body: body, Caller: world.Caller{User: user}, Now: created}
	err = s.World.WithID("dwh.config", int64(f.ConfigID), func() error {
		if f.Project != "" {
			return adoptProject(call, id, f.Project)
		}
		_, err := createIntegration(call, id)
		return err
	})
	if err != nil {
		return err
	}
	return setTimes(s, id, f)
}

// adoptProject creates an integration whose project is there already.
func adoptProject(c *op.Call, id int64, project string) error {
	i, parts, err := newIntegration(c, id)
	if err != nil {
		return err
	}
	p, ok := bridge.ProjectNamed(c.World, project)
	if !ok {
		return fixtures.At(fmt.Errorf("project %q not found", project), "project", "project")
	}
	i.Project = p.ID
	before, _ := c.World.DWH.Sessions.Get(id)
	c.World.DWH.Sessions.Put(id, parts.sessions(c.World, i, before))
	c.World.DWH.Integrations.Put(id, i)
	return nil
}

// setTimes sets the times of an integration that do not follow from its creation.
func setTimes(s *seed.Context, id int64, f fixtures.Integration) (err error) {
	i, _ := s.World.DWH.Integrations.Get(id)
	if i.UpdatedAt, err = s.Past(f.UpdatedAt, i.UpdatedAt); err != nil {
		return fixtures.At(err, "updatedAt", "updatedAt")
	}
	if i.Config.CreatedAt, err = s.Past(f.ConfigCreatedAt, i.CreatedAt); err != nil {
		return fixtures.At(err, "configCreatedAt", "configCreatedAt")
	}
	if i.Config.UpdatedAt, err = s.Past(f.ConfigUpdatedAt, i.UpdatedAt); err != nil {
		return fixtures.At(err, "configUpdatedAt", "configUpdatedAt")
	}
	s.World.DWH.Integrations.Put(id, i)
	return nil
}
