package suggest

import "reflect"

// MergePatch returns the patch as an RFC 7396 JSON Merge Patch. Lists that change are in it as a whole.
func (p *Patch) MergePatch() map[string]any {
	for i := range p.changes {
		p.apply(&p.changes[i])
	}
	patch, _ := difference(p.before, p.after).(map[string]any)
	return patch
}

func (p *Patch) apply(c *change) {
	node := any(p.after)
	var set func(any)
	for _, token := range c.at {
		parent := node
		node, _ = child(parent, token)
		if object, isObject := parent.(map[string]any); isObject {
			set = func(value any) { object[token] = value }
		}
	}
	if list, isList := node.([]any); isList && c.isItem {
		set(append(list, c.value))
		return
	}
	merged(node, plain(c.update()))
}

// difference returns what one object adds to another or changes in it, as a merge patch.
func difference(before, after any) any {
	a, isObject := before.(map[string]any)
	b, both := after.(map[string]any)
	if !isObject || !both {
		return after
	}
	patch := map[string]any{}
	for key, value := range b {
		if old, isThere := a[key]; !isThere || !reflect.DeepEqual(old, value) {
			patch[key] = difference(old, value)
		}
	}
	return patch
}
