package console

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// whoPage shows who may do what as a matrix: users, and what their policies permit.
type whoPage struct {
	Operations []permission // the columns, without ids
	Users      []user
}

type user struct {
	Name, Email string
	IsAdmin     bool
	Policies    []link
	May         []string // by column: empty, "yes", or the ids of the objects
}

// permission is an operation on a kind of objects.
type permission struct{ What, Operation string }

func (v *view) whoPage() error {
	var body whoPage
	err := v.visit(func(v *visitor) error {
		users, err := v.fetch("/core/v3/user/list")
		if err != nil {
			return err
		}
		rights, err := v.fetch("/core/v3/access_control/users")
		if err != nil {
			return err
		}
		byID := map[string]any{}
		var permitted []map[permission]string // by user
		for _, r := range (specs.Pointer{"*"}).In(rights) {
			byID[first(r, specs.Pointer{"user_id"})] = r
		}
		for _, one := range (specs.Pointer{"users", "*"}).In(users) {
			u := user{
				Name: first(one, specs.Pointer{"name"}), Email: first(one, specs.Pointer{"email"}),
				IsAdmin: first(one, specs.Pointer{"administrator"}) == "true",
			}
			own := byID[first(one, specs.Pointer{"id"})]
			permitted = append(permitted, permissions(own))
			for _, p := range (specs.Pointer{"policies", "*"}).In(own) {
				id := first(p, specs.Pointer{"id"})
				u.Policies = append(u.Policies, link{
					Name: first(p, specs.Pointer{"name"}), Key: id, Address: v.In("resources", "core.policy", id),
				})
			}
			body.Users = append(body.Users, u)
		}
		body.fill(permitted)
		return nil
	})
	if err != nil {
		return err
	}
	return v.ok("who", "resources", "Who may do what", body)
}

// fill makes the columns, and what users may do in each.
func (p *whoPage) fill(permitted []map[permission]string) {
	all := map[permission]bool{}
	for _, list := range permitted {
		for one := range list {
			all[one] = true
		}
	}
	p.Operations = slices.SortedFunc(maps.Keys(all), func(a, b permission) int {
		return cmp.Or(strings.Compare(a.What, b.What), strings.Compare(a.Operation, b.Operation))
	})
	for i := range p.Users {
		for _, one := range p.Operations {
			may := permitted[i][one]
			if p.Users[i].IsAdmin {
				may = "yes"
			}
			p.Users[i].May = append(p.Users[i].May, may)
		}
	}
}

// permissions returns what is permitted: "yes", or the ids of the objects.
func permissions(rights any) map[permission]string {
	list := map[permission]string{}
	of, _ := rights.(map[string]any)
	members, _ := of["permissions"].(map[string]any)
	for what, permitted := range members {
		for _, p := range (specs.Pointer{"*"}).In(permitted) {
			may := "yes"
			if ids := first(p, specs.Pointer{"ids"}); ids != "" {
				may = "of " + ids
			}
			list[permission{what, first(p, specs.Pointer{"operation"})}] = may
		}
	}
	return list
}
