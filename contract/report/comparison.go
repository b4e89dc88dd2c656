package report

// Comparison is what comparing a recording with another server found, beside its findings.
type Comparison struct {
	With       string      `json:"with"` // what the recorded requests were replayed to
	Compared   int         `json:"compared"`
	Agree      int         `json:"agree"`
	Operations []Agreement `json:"operations"`
	Skipped    []Reason    `json:"skipped"` // why exchanges were not compared
	Masks      []Mask      `json:"masks"`

	Sides map[int]Sides `json:"-"` // the first exchange of each operation that differs, by number
}

// Agreement says how many answers of an operation agree with the recorded ones.
type Agreement struct {
	Operation string `json:"operation"`
	Compared  int    `json:"compared"`
	Agree     int    `json:"agree"`
	First     int    `json:"first,omitzero"` // the first exchange that differs
}

// Mask is a rule that leaves a place of answers out of a comparison, with how often it hid a difference.
type Mask struct {
	Operation string `json:"operation"`
	Pointer   string `json:"pointer"`
	Reason    string `json:"reason"`
	Count     int    `json:"count"`
}

// Sides are the two answers of one exchange, as lines of text without secrets.
type Sides struct {
	Recorded, Answered []string
}
