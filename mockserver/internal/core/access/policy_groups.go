package access

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// PolicyGroups are the policy groups of the account, which paths name by their ids or taggable names.
var PolicyGroups = resource.New(resource.Of[world.PolicyGroup]{
	Noun: "policy group", IDs: "core.policy_group", Key: "policy_group_id_or_taggable_name", Dialect: wire.Dialect(),
	KeyName: "id or taggable name",
	Rows:    func(w *world.State) *table.Table[world.PolicyGroup] { return &w.Account.PolicyGroups },
	Lookup:  findGroup,
	Bind:    bindGroup,
	Guard:   guardGroup,
	Changed: func(w *world.State, before, after *world.PolicyGroup) { w.Account.ChangedPolicyGroup(before, after) },
	View: func(c *op.Call, g world.PolicyGroup) any {
		return policyGroupForm{
			ID: g.ID, AccountID: c.World.Account.ID, Name: g.Name, TaggableName: g.TaggableName, Description: g.Description,
			PolicyCount: len(g.Policies), CreatedAt: op.Instant(g.CreatedAt), UpdatedAt: op.Instant(g.UpdatedAt),
		}
	},
})

type policyGroupForm struct {
	ID           int64   `json:"id"`
	AccountID    int64   `json:"account_id"`
	Name         string  `json:"name"`
	TaggableName string  `json:"taggable_name"`
	Description  *string `json:"description"`
	PolicyCount  int     `json:"policy_count"`
	CreatedAt    string  `json:"created_at"`
	UpdatedAt    string  `json:"updated_at"`
}

// DeletePolicyGroup deletes a policy group, and takes its tag from all users who carry it or manage the group. The
// answer has no body (public).
var DeletePolicyGroup = resource.On(PolicyGroups, func(c *op.Call, g world.PolicyGroup) (op.Reply, error) {
	table.Delete(&c.World.Account.PolicyGroups, g.ID)
	c.World.Account.ChangedPolicyGroup(&g, nil)
	for _, u := range table.All(&c.World.Account.Users) {
		before := len(u.Groups) + len(u.Manages)
		u.Groups, u.Manages = without(u.Groups, g.ID), without(u.Manages, g.ID)
		if len(u.Groups)+len(u.Manages) < before {
			putUser(c, u)
		}
	}
	return op.Reply{}, nil
})

// findGroup returns the id of a group. It reads digits as an id first (documented), and as a taggable name when no
// group has that id (assumed).
func findGroup(w *world.State, key string) (int64, bool) {
	if id, err := strconv.ParseInt(key, 10, 64); err == nil {
		if _, ok := w.Account.PolicyGroups.Get(id); ok {
			return id, true
		}
	}
	g, ok := w.Account.GroupTagged(key)
	return g.ID, ok
}

// bindGroup binds the body to a group. It sets the taggable name only once: that is an address, so it outlives a change
// of the name (assumed).
func bindGroup(c *op.Call, id int64, g *world.PolicyGroup) error {
	var body struct {
		Name        *string        `json:"name"`
		Description jsontext.Value `json:"description"`
	}
	if err := c.Decode(&body); err != nil {
		return err
	}
	if body.Name == nil {
		return op.Unprocessable("name", "is missing: it is required even if it does not change")
	}
	g.Name = *body.Name
	if g.ID == 0 {
		g.ID, g.TaggableName, g.CreatedAt, g.UpdatedAt = id, taggable(g.Name), c.Now, c.Now
		return nil
	}
	g.UpdatedAt = c.Now
	if body.Description == nil {
		return nil
	}
	g.Description = nil
	if err := json.Unmarshal(body.Description, &g.Description); err != nil {
		return op.Unprocessable("description", "want a string, or null")
	}
	return nil
}

// taggable returns a group's name as a tag (assumed).
func taggable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, name)
}

func guardGroup(c *op.Call, before, after *world.PolicyGroup) error {
	if strings.TrimSpace(after.Name) == "" {
		return op.Unprocessable("name", "is empty")
	}
	if other, taken := c.World.Account.GroupTagged(after.TaggableName); before == nil && taken {
		return op.Conflict("policy group %d, %s, already has the taggable name %s", other.ID, other.Name,
			other.TaggableName)
	}
	return nil
}

// putGroup stores a group that has been changed.
func putGroup(c *op.Call, g world.PolicyGroup) {
	g.UpdatedAt = c.Now
	c.World.Account.PolicyGroups.Put(g.ID, g)
}

// ListPolicyGroupPolicies lists the policies of a policy group.
var ListPolicyGroupPolicies = resource.On(PolicyGroups, func(_ *op.Call, g world.PolicyGroup) (op.Reply, error) {
	return op.OK(map[string][]int64{"policy_ids": g.Policies})
})

// UpdatePolicyGroupPolicies replaces the policies of a policy group.
var UpdatePolicyGroupPolicies = op.OnSent(resource.Named[world.PolicyGroup](PolicyGroups), func(
	c *op.Call, g world.PolicyGroup, body struct {
		PolicyIDs *[]int64 `json:"policy_ids"`
	},
) (op.Reply, error) {
	ids, err := integerIDs("policy_ids", body.PolicyIDs, "policy", c.World.Account.Policies.Get)
	if err != nil {
		return op.Reply{}, err
	}
	g.Policies = ids
	putGroup(c, g)
	return op.OK(map[string][]int64{"policy_ids": g.Policies})
})

// groupList selects one of the two lists of policy groups that a user has: those whose tag it carries, and those that
// it manages as a delegated admin. The two lists are independent of each other (public).
type groupList func(*world.User) *[]int64

func carriedGroups(u *world.User) *[]int64 { return &u.Groups }
func managedGroups(u *world.User) *[]int64 { return &u.Manages }

// ListTagUsers lists the users who carry the tag of a policy group.
var ListTagUsers = op.On(tagFromPath, listTagged(carriedGroups))

// ListTagDelegatedAdmins lists the delegated admins who manage the policy group of a tag.
var ListTagDelegatedAdmins = op.On(tagFromPath, listTagged(managedGroups))

// listTagged answers with the ids of users as texts (public).
func listTagged(list groupList) func(*op.Call, world.PolicyGroup) (op.Reply, error) {
	return func(c *op.Call, g world.PolicyGroup) (op.Reply, error) {
		ids := []string{}
		for u := range c.World.Account.LiveUsers() {
			if slices.Contains(*list(&u), g.ID) {
				ids = append(ids, op.IDText(u.ID))
			}
		}
		return op.OK(map[string][]string{"user_ids": ids})
	}
}

func tagFromPath(c *op.Call) (world.PolicyGroup, error) {
	g, ok := c.World.Account.GroupTagged(c.Param("tag"))
	if !ok {
		return g, op.NotFound("policy group", "tag", c.Param("tag"))
	}
	return g, nil
}

// SetTagDelegatedAdmins replaces the delegated admins who manage a policy group. It refuses users who are not delegated
// admins (assumed).
var SetTagDelegatedAdmins = op.OnTwo(taggingFromPath, func(
	c *op.Call, g world.PolicyGroup, ids []int64,
) (op.Reply, error) {
	for _, id := range ids {
		if u, _ := c.World.Account.LiveUser(id); !u.Delegated {
			return op.Reply{}, op.Unprocessable("user_ids", "user %d is not a delegated admin", id)
		}
	}
	setTagged(c, g.ID, ids, managedGroups)
	return op.None()
})

// SetTagUsers replaces the users who carry the tag of a policy group. A delegated admin may tag the users of the groups
// that it manages, but neither put the tag on itself nor take it off (assumed): the tag decides what it may apply to
// itself.
var SetTagUsers = op.OnTwo(taggingFromPath, func(c *op.Call, g world.PolicyGroup, ids []int64) (op.Reply, error) {
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
})

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
