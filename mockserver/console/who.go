package console

import "svc.example/understudy/specs"

// whoPage shows who may do what: users, and their policies with what these permit.
type whoPage struct{ Users []user }

type user struct {
	ID, Name, Email, Address string
	IsAdmin                  bool
	Policies                 []link
	Permissions              []permission
}

type permission struct{ What, Operation, IDs string }

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
		for _, r := range follow(rights, specs.Pointer{"*"}) {
			byID[first(r, specs.Pointer{"user_id"})] = r
		}
		for _, one := range follow(users, specs.Pointer{"users", "*"}) {
			u := user{
				ID: first(one, specs.Pointer{"id"}), Name: first(one, specs.Pointer{"name"}),
				Email: first(one, specs.Pointer{"email"}), IsAdmin: first(one, specs.Pointer{"administrator"}) == "true",
			}
			u.Permissions = permissions(byID[u.ID])
			for _, p := range follow(byID[u.ID], specs.Pointer{"policies", "*"}) {
				id := first(p, specs.Pointer{"id"})
				u.Policies = append(u.Policies, link{
					first(p, specs.Pointer{"name"}), id, v.In("resources", "core.policy", id),
				})
			}
			body.Users = append(body.Users, u)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.ok("who", "resources", "Who may do what", body)
}

// permissions lists what is permitted, by the kind of things that it is about.
func permissions(rights any) (list []permission) {
	members, _ := memberOf(rights, "permissions").(map[string]any)
	for _, what := range sortedKeys(members) {
		for _, p := range follow(members[what], specs.Pointer{"*"}) {
			list = append(list, permission{what, first(p, specs.Pointer{"operation"}), first(p, specs.Pointer{"ids"})})
		}
	}
	return list
}

// memberOf returns a member of an object, or nil.
func memberOf(value any, member string) any {
	members, _ := value.(map[string]any)
	return members[member]
}
