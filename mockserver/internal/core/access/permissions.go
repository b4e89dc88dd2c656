package access

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// databaseKind is the kind of resource whose permissions are rights on databases.
const databaseKind = "Databases"

// boundOperations lists, by kind of resource, the operations that must name their resources in a member (public).
var boundOperations = map[string]struct {
	member     string
	operations []string
}{
	databaseKind:      {"ids", []string{"query", "edit", "import"}},
	"Authentications": {"ids", []string{"use_limited"}},
	"LlmProject": {"project_id", []string{
		"edit", "chat", "publish_internal_integration", "publish_external_integration",
	}},
}

// GetPolicyPermissions returns the permissions that a policy grants.
var GetPolicyPermissions = resource.On(Policies, func(_ *op.Call, p world.Policy) (op.Reply, error) {
	return op.OK(p.Permissions)
})

// UpdatePolicyPermissions replaces the permissions that a policy grants on the kinds of resources that the body names.
var UpdatePolicyPermissions = resource.On(Policies, func(c *op.Call, p world.Policy) (op.Reply, error) {
	after, err := changedPermissions(c, p.Permissions)
	if err != nil {
		return op.Reply{}, err
	}
	p.Permissions = after
	c.World.Account.Policies.Put(p.ID, p)
	return op.OK(p.Permissions)
})

// changedPermissions returns permissions in which the kinds of resources that the body names are replaced and all
// others kept. An empty list removes a kind. Kinds that the document does not list are ignored, as everywhere.
func changedPermissions(c *op.Call, before world.Permissions) (world.Permissions, error) {
	var body map[string]jsontext.Value
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	after := world.Permissions{}
	maps.Copy(after, before)
	kinds := c.Operation.JSONBody().Properties
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if body[kind] == nil {
			continue
		}
		entries, err := grants(kind, body[kind], kinds[kind].Value.Items.Value)
		if err != nil {
			return nil, err
		}
		if after[kind] = entries; len(entries) == 0 {
			delete(after, kind)
		}
	}
	return after, nil
}

// grants returns the entries of one kind of resource. The document lists the operations and the other texts of each
// kind.
func grants(kind string, text jsontext.Value, schema *openapi3.Schema) ([]map[string]string, error) {
	var sent []map[string]any
	if err := json.Unmarshal(text, &sent); err != nil {
		return nil, op.Unprocessable(kind, "want a list of objects")
	}
	entries := make([]map[string]string, len(sent))
	for i, members := range sent {
		if err, ok := errors.AsType[*openapi3.SchemaError](schema.VisitJSON(members)); ok {
			return nil, op.Unprocessable(kind, "%s", err.Reason)
		}
		entries[i] = map[string]string{}
		for name := range schema.Properties {
			if value, ok := members[name].(string); ok {
				entries[i][name] = value
			}
		}
		if err := checkGrant(kind, entries[i]); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// checkGrant requires ids where an operation needs them (public), and requires the ids of databases to be integers
// (assumed).
func checkGrant(kind string, entry map[string]string) error {
	needs := boundOperations[kind]
	if slices.Contains(needs.operations, entry["operation"]) && entry[needs.member] == "" {
		return op.Unprocessable(kind, "the operation %s needs %s", entry["operation"], needs.member)
	}
	if entry["ids"] == "" {
		return nil
	}
	for id := range strings.SplitSeq(entry["ids"], ",") {
		if _, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64); err != nil && kind == databaseKind {
			return op.Unprocessable(kind, "want the ids of databases separated by commas, not %q", entry["ids"])
		}
	}
	return nil
}

type columnPermissionForm struct {
	Tags    []string `json:"tags"`
	Except  *bool    `json:"except"`
	Masking *string  `json:"masking"`
}

func columnPermissionViews(p world.Policy) []columnPermissionForm {
	views := make([]columnPermissionForm, len(p.ColumnPermissions))
	for i, entry := range p.ColumnPermissions {
		views[i] = columnPermissionForm(entry)
	}
	return views
}

// GetColumnPermissions lists the column permissions of a policy.
var GetColumnPermissions = resource.On(Policies, func(_ *op.Call, p world.Policy) (op.Reply, error) {
	return op.OK(columnPermissionViews(p))
})

// UpdateColumnPermissions replaces the column permissions of a policy. It takes the list wrapped and answers with it
// bare (public).
var UpdateColumnPermissions = op.OnSent(resource.Named[world.Policy](Policies), func(
	c *op.Call, p world.Policy, body struct {
		ColumnPermissions *[]columnPermissionForm `json:"column_permissions"`
	},
) (op.Reply, error) {
	if body.ColumnPermissions == nil {
		return op.Reply{}, op.Unprocessable("column_permissions", "is missing: want the whole list, which may be empty")
	}
	p.ColumnPermissions = nil
	for _, entry := range *body.ColumnPermissions {
		switch {
		case entry.Tags == nil:
			return op.Reply{}, op.Unprocessable("column_permissions", "an entry has no tags")
		case entry.Masking != nil && *entry.Masking != "hash":
			return op.Reply{}, op.Unprocessable("column_permissions", "want the masking hash or none, not %q",
				*entry.Masking)
		}
		p.ColumnPermissions = append(p.ColumnPermissions, world.ColumnPermission(entry))
	}
	c.World.Account.Policies.Put(p.ID, p)
	return op.OK(columnPermissionViews(p))
})
