package mockserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/specs"
)

// Change describes what a request is about to do to an object of a resource of your own.
type Change[T any] = specs.Change[T]

// Rule is a rule for the objects of a resource, which CheckChanges makes and WithRules adds.
type Rule struct {
	resource string
	check    func(*op.Call, own.Change) error
}

// CheckChanges returns a rule that looks at every change of a resource such as shop.order before it takes effect, with
// objects decoded from JSON as T. An error refuses the change: one of Refuse with a status, and any other with 500.
// It may be called by several requests at once.
func CheckChanges[T any](resource string, check func(Change[T]) error) Rule {
	return Rule{resource, func(_ *op.Call, c own.Change) error {
		change := Change[T]{Verb: c.Verb, Keys: slices.Clone(c.Keys)}
		for _, side := range []struct {
			text []byte
			into **T
		}{{c.Before, &change.Before}, {c.After, &change.After}} {
			if side.text == nil {
				continue
			}
			*side.into = new(T)
			if err := json.Unmarshal(side.text, *side.into); err != nil {
				return fmt.Errorf("a rule of %s cannot read an object: %w", resource, err)
			}
		}
		return check(change)
	}}
}

// Refuse returns the error of a rule that refuses a change. It is answered with the status, from 400 to 499, in the
// form that the document shows for it.
func Refuse(status int, format string, args ...any) error {
	if status < 400 || status > 499 {
		return fmt.Errorf("a rule refuses with status %d: want 400 to 499", status)
	}
	return &op.Error{Code: op.StatusCode(status), Message: fmt.Sprintf(format, args...)}
}

// WithRules adds rules to resources of your own, for what no document says.
func WithRules(rules ...Rule) Option {
	return func(c *config) error { c.rules = append(c.rules, rules...); return nil }
}

// checkRules refuses rules of interfaces that are not the user's own.
func (c *config) checkRules() error {
	var errs []error
	for _, rule := range c.rules {
		name, _, _ := strings.Cut(rule.resource, ".")
		if iface := specs.Interface(name); !iface.IsOwn() || c.documents[iface] == "" {
			errs = append(errs, fmt.Errorf("a rule for %s: want a resource of an interface that WithSpec gives, "+
				"such as shop.order", rule.resource))
		}
	}
	return errors.Join(errs...)
}

// rulesFor returns the rules for the resources of a document, by their names.
func (c *config) rulesFor(doc *specs.Document) (own.Rules, error) {
	rules := own.Rules{}
	for _, rule := range c.rules {
		if name, _, _ := strings.Cut(rule.resource, "."); name != string(doc.Interface) {
			continue
		}
		if doc.Resource(rule.resource) == nil {
			var known []string
			for _, r := range doc.Resources() {
				known = append(known, r.Name)
			}
			return nil, fmt.Errorf("a rule for %s: unknown resource; want one of %s", rule.resource, strings.Join(known, ", "))
		}
		before := rules[rule.resource]
		rules[rule.resource] = func(call *op.Call, change own.Change) error {
			if before != nil {
				if err := before(call, change); err != nil {
					return err
				}
			}
			return rule.check(call, change)
		}
	}
	return rules, nil
}
