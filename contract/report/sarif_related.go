package report

import "cmp"

// sarifPlace returns the place at which a result is shown: in a file that the reader has, if there is one.
func (r *Report) sarifPlace(g *Group) *sarifPhysical {
	if line := r.Shown[g.Exchange]; line.OnDisk {
		return line.physicalLocation()
	}
	return r.sarifDocument(g)
}

// sarifDocument returns the place in the document that a result refers to, or nil if there is none.
func (r *Report) sarifDocument(g *Group) *sarifPhysical {
	if g.Spec.File == "" {
		return nil
	}
	return physicalLocation(r.specURI(g.Spec), g.Spec.Line)
}

// sarifRelated lists what a result has to do with: its evidence, in its order, its other occurrences, and the document;
// and the evidence once more as a code flow.
func (r *Report) sarifRelated(g *Group) (related []sarifLocation, flows []sarifCodeFlow) {
	add := func(text string, at *sarifPhysical) {
		related = append(related, sarifLocation{ID: len(related) + 1, Message: &sarifText{Text: plain(text)}, Physical: at})
	}
	var steps []sarifStep
	for i, number := range g.chain() {
		if line, ok := r.Shown[number]; ok && i < maxSteps {
			add(line.inWords(), line.physicalLocation())
			step := related[len(related)-1]
			step.ID = 0
			steps = append(steps, sarifStep{Location: step, Order: i + 1})
		}
	}
	others, _ := g.others(len(g.Occurrences))
	for _, o := range others {
		if line, ok := r.Shown[o.Exchange]; ok {
			add("also "+r.occurrence(g, o), line.physicalLocation())
		}
	}
	if says := r.says(&g.Finding); says != "" {
		add(says, r.sarifDocument(g))
	}
	if len(steps) > 0 {
		flows = []sarifCodeFlow{{Threads: []sarifThread{{steps}}}}
	}
	return related, flows
}

// physicalLocation returns the place of an exchange. Readers want one everywhere, also where the recording is not on
// disk.
func (l *Line) physicalLocation() *sarifPhysical {
	return physicalLocation(cmp.Or(l.File, "recording"), l.Line)
}
