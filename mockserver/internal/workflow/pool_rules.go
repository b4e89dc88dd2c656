package workflow

import (
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

var poolRules = resource.New(resource.Of[world.PoolRule]{
	Noun: "pool rule", Plural: "poolRules", IDs: "workflow.pool_rule", Key: "poolRuleId", Dialect: dialect,
	Rows:    func(w *world.State) *table.Table[world.PoolRule] { return &w.Workflow.PoolRules },
	Bind:    bindPoolRule,
	Guard:   guardPoolRule,
	Changed: func(w *world.State, before, after *world.PoolRule) { w.Workflow.ChangedPoolRule(before, after) },
	View:    func(_ *op.Call, r world.PoolRule) any { return poolRuleView(r) },
})

type poolRuleForm struct {
	ID         string                `json:"id"`
	Priority   int                   `json:"priority"`
	Conditions []world.PoolCondition `json:"conditions"`
	PoolID     string                `json:"poolId"`
}

func poolRuleView(r world.PoolRule) poolRuleForm {
	return poolRuleForm{ID: op.IDText(r.ID), Priority: r.Priority, Conditions: r.Conditions, PoolID: op.IDText(r.Pool)}
}

// listPoolRules lists the rules in the order in which they are tried.
func listPoolRules(c *op.Call) (op.Reply, error) {
	forms := []poolRuleForm{}
	for r := range c.World.Workflow.RulesInOrder() {
		forms = append(forms, poolRuleView(r))
	}
	return op.OK(map[string]any{"poolRules": forms})
}

func createPoolRule(c *op.Call) (op.Reply, error) {
	ensureDefaultPool(c.World)
	return poolRules.Create(c)
}

func bindPoolRule(c *op.Call, id int64, r *world.PoolRule) error {
	body := struct {
		Priority   *int64                `json:"priority"`
		Conditions []world.PoolCondition `json:"conditions"`
		PoolID     flexibleID            `json:"poolId"`
	}{}
	if err := c.Decode(&body); err != nil {
		return err
	}
	isNew := r.ID == 0
	r.ID = id
	if body.Priority != nil {
		if *body.Priority < 1 || *body.Priority > 10_000 {
			return op.Invalid("priority", "want an integer from 1 to 10000, not %d", *body.Priority)
		}
		r.Priority = int(*body.Priority)
	} else if isNew {
		return op.Invalid("priority", "is missing")
	}
	if body.PoolID.text != "" {
		if r.Pool = body.PoolID.id(); r.Pool == 0 {
			return op.Invalid("poolId", "want the id of a pool, not %q", body.PoolID.text)
		}
	} else if isNew {
		return op.Invalid("poolId", "is missing")
	}
	if body.Conditions == nil && !isNew {
		return nil // those that it has are shared with other worlds
	}
	r.Conditions = body.Conditions
	return checkConditions(r.Conditions)
}

func checkConditions(conditions []world.PoolCondition) error {
	if n := len(conditions); n < 1 || n > 2 {
		return op.Invalid("conditions", "want one or two conditions, not %d", n)
	}
	for i := range conditions {
		if err := checkCondition(&conditions[i]); err != nil {
			return err
		}
	}
	return nil
}

var invocationTypes = []string{"on_demand", "scheduled"}

var workflowTypes = []string{
	"ab_test", "audience", "customer_journey", "engage", "predictive_scoring", "realtime", "segment_insights",
	"syndication",
}

// checkCondition checks a condition's shape, and drops an operator where none is used. A list without a value, or with
// an empty one, is refused: the one never fits, the other always does (assumed).
func checkCondition(condition *world.PoolCondition) error {
	var known []string
	switch condition.Type {
	case "project_name", "workflow_name":
		if condition.Operator != "starts_with" {
			return op.Invalid("conditions.operator", "want starts_with for %s, not %q", condition.Type, condition.Operator)
		}
	case "invocation_type":
		condition.Operator, known = "", invocationTypes
	case "workflow_type":
		condition.Operator, known = "", workflowTypes
	default:
		return op.Invalid("conditions.type",
			"want project_name, workflow_name, invocation_type or workflow_type, not %q", condition.Type)
	}
	if len(condition.Values) == 0 {
		return op.Invalid("conditions.values", "want at least one value for %s", condition.Type)
	}
	for _, value := range condition.Values {
		if value == "" || known != nil && !slices.Contains(known, value) {
			return op.Invalid("conditions.values", "%s cannot be %q%s", condition.Type, value, among(known))
		}
	}
	return nil
}

func among(known []string) string {
	if known == nil {
		return ""
	}
	return "; want " + strings.Join(known, ", ")
}

// guardPoolRule lets rules change and go at any time: attempts keep the pools that they were given.
func guardPoolRule(c *op.Call, _, after *world.PoolRule) error {
	if after == nil {
		return nil
	}
	if _, ok := c.World.Workflow.Pools.Get(after.Pool); !ok {
		return op.Invalid("poolId", "pool with id %d not found", after.Pool)
	}
	if r, taken := c.World.Workflow.PoolRuleAt(after.Priority); taken && r.ID != after.ID {
		return op.Invalid("priority", "pool rule %d already has priority %d", r.ID, r.Priority)
	}
	return nil
}

// choosePool tries the rules from the lowest priority value up, and takes the first one that fits. An attempt that
// fits none goes to the default pool.
func choosePool(w *world.State, s start) int64 {
	project, _ := w.Workflow.Projects.Get(s.Definition.Project)
	for r := range w.Workflow.RulesInOrder() {
		if fitsAll(r.Conditions, project.Name, s) {
			return r.Pool
		}
	}
	d, _ := defaultPool(w)
	return d.ID
}

func fitsAll(conditions []world.PoolCondition, project string, s start) bool {
	return !slices.ContainsFunc(conditions, func(c world.PoolCondition) bool { return !fitsCondition(c, project, s) })
}

// fitsCondition reports whether an attempt fits a condition. Only workflows that other parts of the platform made for
// themselves have a workflow type, so those of uploaded projects have none (assumed).
func fitsCondition(condition world.PoolCondition, project string, s start) bool {
	switch condition.Type {
	case "project_name":
		return startsWithAny(project, condition.Values)
	case "workflow_name":
		return startsWithAny(s.Definition.Workflow.Name, condition.Values)
	case "invocation_type":
		invocation := "on_demand"
		if s.Scheduled {
			invocation = "scheduled"
		}
		return slices.Contains(condition.Values, invocation)
	}
	return false
}

func startsWithAny(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
