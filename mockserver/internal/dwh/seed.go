package dwh

import (
	"encoding/json"
	"errors"
	"fmt"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Seed makes the integrations that a fixture says, through what serves requests. Databases, tables and users are there
// already. The error names all that cannot be made.
func Seed(w *world.World, f fixtures.DWH) error {
	for _, i := range f.Integrations {
		w.Reserve(integrations.IDs, i.ID)
	}
	var errs []error
	for n, i := range f.Integrations {
		errs = append(errs, fixtures.At(seedIntegration(w, i), "integration "+i.Name, "dwh", "integrations", n))
	}
	return errors.Join(errs...)
}

func seedIntegration(w *world.World, f fixtures.Integration) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	user, err := seedUser(w, f.User)
	if err != nil {
		return err
	}
	id := f.ID
	if id == 0 {
		id = w.NewID(integrations.IDs)
	}
	_, err = create(&op.Call{World: w, Body: body, Caller: world.Caller{User: user}, Now: w.Now()}, id)
	return err
}

// seedUser is who an email, or a name, stands for; the first who administers when the fixture leaves it open.
func seedUser(w *world.World, ref string) (world.User, error) {
	for u := range w.Account.LiveUsers() {
		if ref == "" && u.Role.Administers() || ref != "" && (u.Email == ref || u.Email == "" && u.Name == ref) {
			return u, nil
		}
	}
	return world.User{}, fmt.Errorf("there is no user %q", ref)
}
