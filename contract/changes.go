package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/specs"
)

// ChangeRule is a rule for the objects of a resource, which CheckChanges makes and WithChanges adds.
type ChangeRule struct {
	resource string
	refuses  history.ChangeRule
}

// CheckChanges returns a rule that looks at every change of a resource such as shop.order that a recording shows to be
// accepted, with objects decoded from JSON as T: what the recording last showed of it, and what the answer shows. An
// error says that it had to be refused. The function may be the one that mockserver.CheckChanges takes, and may be
// called by several goroutines at once. Objects of more than 4 KiB are not looked at.
func CheckChanges[T any](resource string, check func(specs.Change[T]) error) ChangeRule {
	return ChangeRule{resource, func(verb string, keys []string, before, after facts.Row) error {
		change := specs.Change[T]{Verb: verb, Keys: keys}
		for row, into := range map[*facts.Row]**T{&before: &change.Before, &after: &change.After} {
			if *row == "" {
				continue
			}
			*into = new(T)
			if err := json.Unmarshal([]byte(*row), *into); err != nil {
				return nil //nolint:nilerr // that it does not fit its schema is found without this
			}
		}
		return check(change)
	}}
}

// WithChanges adds rules for resources of documents of your own, for what no document says. What breaks one breaks the
// rule consistency.
func WithChanges(rules ...ChangeRule) Option {
	return set(func(c *config) { c.changes = append(c.changes, rules...) })
}

// changeRules returns the rules for changes by resource. An unknown resource is an error.
func (c *config) changeRules(documents []*specs.Document) (map[facts.Kind][]history.ChangeRule, error) {
	kinds, rules := facts.NewCatalogue(documents), map[facts.Kind][]history.ChangeRule{}
	for _, rule := range c.changes {
		k := facts.Kind(rule.resource)
		if kinds[k] == nil || !k.Interface().IsOwn() {
			var known []string
			for other := range kinds {
				if other.Interface().IsOwn() {
					known = append(known, string(other))
				}
			}
			return nil, fmt.Errorf("a rule for %s: unknown resource; want one of a document of your own, of which "+
				"WithSpec gives: %s", rule.resource, strings.Join(slices.Sorted(slices.Values(known)), ", "))
		}
		rules[k] = append(rules[k], rule.refuses)
	}
	return rules, nil
}
