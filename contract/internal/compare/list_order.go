package compare

// maxLookedBack bounds the number of items before one with which its place is compared.
const maxLookedBack = 100

// isOrderUnknown reports whether all items that are in another order are entities that requests changed which
// overlapped, so that the recording does not show in which order they were changed.
func (c *comparison) isOrderUnknown(p *place, was []any, pairs []int) bool {
	c.isPassing = true
	for i, j := range pairs {
		for back := i - 1; j >= 0 && back >= max(0, i-maxLookedBack); back-- {
			if pairs[back] > j && !c.haveOverlapped(p, was[back], was[i]) {
				return false
			}
		}
	}
	return true
}

// haveOverlapped reports whether the requests that last changed two entities overlapped.
func (c *comparison) haveOverlapped(p *place, a, b any) bool {
	first, second := c.changeOf(p, a), c.changeOf(p, b)
	if first == nil || second == nil {
		return false
	}
	return first.Item.Start.Before(second.Item.End) && second.Item.Start.Before(first.Item.End)
}

// changeOf returns the exchange that last changed a recorded entity, or nil.
func (c *comparison) changeOf(p *place, value any) *Exchange {
	object, isObject := value.(map[string]any)
	r := p.resource(c.nodes, value)
	if r == nil || !isObject {
		return nil
	}
	return c.effects.last[c.entity(p, r, object).Entity].Exchange
}
