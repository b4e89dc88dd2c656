package report

import "fmt"

// Gap is a stretch of exchanges that are missing in a recording, by their numbers. Their content is unknown, so a gap
// is inconclusive, and fails a check only where the recording has to be complete.
type Gap struct {
	File  string `json:"file"`
	World string `json:"world"`
	First int64  `json:"first"`
	Last  int64  `json:"last"`
}

// inWords returns a gap as one sentence.
func (g *Gap) inWords() string {
	which := fmt.Sprintf("exchanges %d to %d are missing", g.First, g.Last)
	if g.First == g.Last {
		which = fmt.Sprintf("exchange %d is missing", g.First)
	}
	if g.World != "" {
		which += " of the world " + g.World
	}
	return g.File + ": " + which + ", and what depends on them cannot be judged"
}

// missing returns the number of exchanges that the gaps span.
func (r *Report) missing() (n int64) {
	for _, g := range r.Gaps {
		n += g.Last - g.First + 1
	}
	return n
}
