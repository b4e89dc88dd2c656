package source

// Compared returns with how many keys a name may have to be compared to find it in the mapping at a path.
func (t *Text) Compared(path ...any) int {
	n := t.root.at(path)
	if n.names != nil {
		return 1
	}
	return len(n.keys)
}
