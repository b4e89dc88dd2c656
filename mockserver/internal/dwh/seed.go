package dwh

import (
	"encoding/json"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
)

// Seed creates the integrations that a fixture describes, through the handlers of requests. Databases, tables and users
// are there already. The error names all that cannot be made.
func Seed(w *world.State, f fixtures.DWH) error {
	seed.Reserve(w, integrations.IDs, f.Integrations, func(i fixtures.Integration) fixtures.ID { return i.ID })
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
	call := &op.Call{World: s.World, Body: body, Caller: world.Caller{User: user}, Now: s.World.Now()}
	_, err = createIntegration(call, s.ID(integrations.IDs, f.ID))
	return err
}
