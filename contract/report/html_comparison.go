package report

// agreementView is the agreement of an operation on the page.
type agreementView struct {
	*Agreement
	Finding string // the id of its first finding, empty if there is none on the page
}

// Percent returns the share of the answers that agree, in percent.
func (a agreementView) Percent() float64 {
	return Axis{Covered: a.Agree, Documented: a.Compared}.Percent()
}

// versusView is the two answers of an exchange on the page.
type versusView struct {
	Exchange int
	Rows     []sideRow
}

// Agreements lists the agreement of each operation.
func (p *page) Agreements() (list []agreementView) {
	for i := range p.Comparison.Operations {
		view := agreementView{Agreement: &p.Comparison.Operations[i]}
		for j := range p.Findings {
			if p.Findings[j].Operation == view.Operation {
				view.Finding = p.Findings[j].ID
				break
			}
		}
		list = append(list, view)
	}
	return list
}

// Differing returns how many operations have an answer that differs.
func (p *page) Differing() int { return p.Comparison.differing() }

// With names what the recording was compared with.
func (p *page) With() string { return plain(p.Comparison.With) }

// title returns the headline of the page.
func (r *Report) title(p *page) string {
	isComparison := r.Comparison != nil
	switch {
	case p.Verdict == "nothing" && isComparison:
		return "Nothing was compared"
	case p.Verdict == "nothing":
		return "Nothing was checked"
	case p.Verdict == "pass" && isComparison:
		return "The answers agree"
	case p.Verdict == "pass":
		return "The recording conforms"
	case p.Breaking > 0 && isComparison:
		return "The answers differ"
	case p.Breaking > 0:
		return "The recording violates the contract"
	case isComparison:
		return "The comparison fails"
	}
	return "The check fails"
}

// versus returns the two answers to show beside a finding, or nil.
func (r *Report) versus(g *Group) *versusView {
	a := r.sidesAt(&g.Finding)
	if a == nil {
		return nil
	}
	return &versusView{a.First, a.Sides.rows()}
}
