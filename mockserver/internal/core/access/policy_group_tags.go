package access

import (
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// groupList selects one of the two lists of policy groups that a user has: those whose tag it carries, and those that
// it manages as a delegated admin. The two lists are independent of each other (public).
type groupList func(*world.User) *[]int64

func carriedGroups(u *world.User) *[]int64 { return &u.Groups }
func managedGroups(u *world.User) *[]int64 { return &u.Manages }

// ListTagUsers lists the users who carry the tag of a policy group.
func ListTagUsers(c *op.Call) (op.Reply, error) { return listTagged(c, carriedGroups) }

// ListTagDelegatedAdmins lists the delegated admins who manage the policy group of a tag.
func ListTagDelegatedAdmins(c *op.Call) (op.Reply, error) { return listTagged(c, managedGroups) }

// listTagged answers with the ids of users as texts (public).
func listTagged(c *op.Call, list groupList) (op.Reply, error) {
	g, err := tagFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	ids := []string{}
	for u := range c.World.Account.LiveUsers() {
		if slices.Contains(*list(&u), g.ID) {
			ids = append(ids, op.IDText(u.ID))
		}
	}
	return op.OK(map[string][]string{"user_ids": ids})
}

func tagFromPath(c *op.Call) (world.PolicyGroup, error) {
	g, ok := groupTagged(c.World, c.Param("tag"))
	if !ok {
		return g, op.NotFound("policy group", "tag", c.Param("tag"))
	}
	return g, nil
}

// SetTagDelegatedAdmins replaces the delegated admins who manage a policy group. It refuses users who are not delegated
// admins (assumed).
func SetTagDelegatedAdmins(c *op.Call) (op.Reply, error) {
	g, ids, err := taggingFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	for _, id := range ids {
		if u, _ := c.World.Account.LiveUser(id); !u.Delegated {
			return op.Reply{}, op.Unprocessable("user_ids", "user %d is not a delegated admin", id)
		}
	}
	setTagged(c, g.ID, ids, managedGroups)
	return op.None()
}

// SetTagUsers replaces the users who carry the tag of a policy group. A delegated admin may tag the users of the groups
// that it manages, but neither put the tag on itself nor take it off (assumed): the tag decides what it may apply to
// itself.
func SetTagUsers(c *op.Call) (op.Reply, error) {
	g, ids, err := taggingFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	if own := c.Caller.User; !c.Caller.Administers() {
		switch {
		case !slices.Contains(own.Manages, g.ID):
			return op.Reply{}, op.Forbidden("you do not manage the policy group %s", g.Name)
		case slices.Contains(own.Groups, g.ID) != slices.Contains(ids, own.ID):
			return op.Reply{}, op.Forbidden("you may not add the tag %s to yourself or remove it", g.TaggableName)
		}
	}
	setTagged(c, g.ID, ids, carriedGroups)
	return op.None()
}

// taggingFromPath returns the group of the path and the users of the body.
func taggingFromPath(c *op.Call) (world.PolicyGroup, []int64, error) {
	g, err := tagFromPath(c)
	if err != nil {
		return g, nil, err
	}
	var body struct {
		UserIDs *[]string `json:"user_ids"`
	}
	if err := c.Decode(&body); err != nil {
		return g, nil, err
	}
	ids, err := textIDs("user_ids", body.UserIDs, "user", c.World.Account.LiveUser)
	return g, ids, err
}

// setTagged puts a group into the list of exactly the users with the given ids.
func setTagged(c *op.Call, group int64, ids []int64, list groupList) {
	for u := range c.World.Account.LiveUsers() {
		groups, wanted := list(&u), slices.Contains(ids, u.ID)
		if slices.Contains(*groups, group) == wanted {
			continue
		}
		if *groups = without(*groups, group); wanted {
			*groups = with(*groups, group)
		}
		putUser(c, u)
	}
}
