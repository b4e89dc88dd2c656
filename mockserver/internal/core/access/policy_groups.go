package access

import (
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

var policyGroups = resource.New(resource.Of[world.PolicyGroup]{
	Noun: "policy group", IDs: "core.policy_group", Key: "policy_group_id_or_taggable_name", Dialect: wire.Dialect(),
	KeyName: "id or taggable name",
	Rows:    func(w *world.State) *table.Table[world.PolicyGroup] { return &w.Account.PolicyGroups },
	Lookup:  findGroup,
	Bind:    bindGroup,
	Guard:   guardGroup,
	View:    func(c *op.Call, g world.PolicyGroup) any { return groupView(c.World, g) },
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

func groupView(w *world.State, g world.PolicyGroup) policyGroupForm {
	return policyGroupForm{
		ID: g.ID, AccountID: w.Account.ID, Name: g.Name, TaggableName: g.TaggableName, Description: g.Description,
		PolicyCount: len(g.Policies), CreatedAt: op.Instant(g.CreatedAt), UpdatedAt: op.Instant(g.UpdatedAt),
	}
}

// ListPolicyGroups lists the policy groups of the account.
func ListPolicyGroups(c *op.Call) (op.Reply, error) { return policyGroups.List(c) }

// CreatePolicyGroup creates a policy group.
func CreatePolicyGroup(c *op.Call) (op.Reply, error) { return policyGroups.Create(c) }

// GetPolicyGroup returns a policy group by its id or its taggable name.
func GetPolicyGroup(c *op.Call) (op.Reply, error) { return policyGroups.Get(c) }

// UpdatePolicyGroup changes a policy group.
func UpdatePolicyGroup(c *op.Call) (op.Reply, error) { return policyGroups.Update(c) }

// DeletePolicyGroup deletes a policy group, and takes its tag from all users who carry it or manage the group. The
// answer has no body (public).
func DeletePolicyGroup(c *op.Call) (op.Reply, error) {
	id, _, err := policyGroups.Find(c)
	if err != nil {
		return op.Reply{}, err
	}
	table.Delete(&c.World.Account.PolicyGroups, id)
	for _, u := range table.All(&c.World.Account.Users) {
		before := len(u.Groups) + len(u.Manages)
		u.Groups, u.Manages = without(u.Groups, id), without(u.Manages, id)
		if len(u.Groups)+len(u.Manages) < before {
			putUser(c, u)
		}
	}
	return op.Reply{}, nil
}

// findGroup returns the id of a group. It reads digits as an id first (documented), and as a taggable name when no
// group has that id (assumed).
func findGroup(w *world.State, key string) (int64, bool) {
	if id, err := strconv.ParseInt(key, 10, 64); err == nil {
		if _, ok := w.Account.PolicyGroups.Get(id); ok {
			return id, true
		}
	}
	g, ok := groupTagged(w, key)
	return g.ID, ok
}

func groupTagged(w *world.State, tag string) (world.PolicyGroup, bool) {
	for _, g := range table.All(&w.Account.PolicyGroups) {
		if g.TaggableName == tag {
			return g, true
		}
	}
	return world.PolicyGroup{}, false
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
	if other, taken := groupTagged(c.World, after.TaggableName); before == nil && taken {
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
func ListPolicyGroupPolicies(c *op.Call) (op.Reply, error) {
	_, g, err := resource.Find[world.PolicyGroup](policyGroups, c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(map[string][]int64{"policy_ids": g.Policies})
}

// UpdatePolicyGroupPolicies replaces the policies of a policy group.
func UpdatePolicyGroupPolicies(c *op.Call) (op.Reply, error) {
	_, g, err := resource.Find[world.PolicyGroup](policyGroups, c)
	if err != nil {
		return op.Reply{}, err
	}
	var body struct {
		PolicyIDs *[]int64 `json:"policy_ids"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	g.Policies, err = integerIDs("policy_ids", body.PolicyIDs, "policy", c.World.Account.Policies.Get)
	if err != nil {
		return op.Reply{}, err
	}
	putGroup(c, g)
	return op.OK(map[string][]int64{"policy_ids": g.Policies})
}
