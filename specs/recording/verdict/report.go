package verdict

// Report holds what the rules say of all exchanges together.
type Report struct {
	Exchanges Exchanges `json:"exchanges"`
	Checks    Counts    `json:"checks"`
	Failed    bool      `json:"failed"`
	Outcome   string    `json:"outcome"`  // in one sentence
	Rules     []Rule    `json:"rules"`    // all of them, in a fixed order
	Findings  []Group   `json:"findings"` // by their fingerprints, the worst first
	Omitted   int       `json:"omitted"`  // findings that are counted but not listed
	Coverage  Coverage  `json:"coverage"`
	Notes     []string  `json:"notes"` // what is worth knowing about the recording itself
}

// Exchanges counts what was judged. Read is the sum of the three after it.
type Exchanges struct {
	Read      int `json:"read"`
	Matched   int `json:"matched"`   // belong to one interface
	Unmatched int `json:"unmatched"` // belong to no interface, or could belong to several
	Ignored   int `json:"ignored"`   // traffic around the contract, such as preflights
	Injected  int `json:"injected"`  // matched, with an answer that a fault injected

	// Behind counts those that are still to be judged, alone or by the rules between exchanges.
	Behind int `json:"behind"`
}

// Rule counts the chances of a rule by their outcome, and says what it is about. A rule without a chance did not pass.
type Rule struct {
	ID         string `json:"id"`
	Title      string `json:"title"`   // in one clause: what must hold
	Watches    string `json:"watches"` // what gives it a chance
	Provenance string `json:"provenance"`
	Counts
}

// Group holds all findings with one fingerprint.
type Group struct {
	Finding     // the first one
	Count   int `json:"count"`

	Occurrences []Occurrence `json:"occurrences"` // the first ones
}

// Occurrence is the place of one of the findings with the same fingerprint.
type Occurrence struct {
	Seq     int64  `json:"seq"`
	Pointer string `json:"pointer"` // into the exchange
}

// Coverage describes how much of the documents the exchanges touch.
type Coverage struct {
	Axes       []Axis      `json:"axes"`
	Operations []Operation `json:"operations"` // all that are documented, sorted by name
}

// Axis describes how much of one kind of thing was touched: operations, requests, responses, parameters, enums,
// properties or rules.
type Axis struct {
	Name       string  `json:"name"`
	Covered    int     `json:"covered"`
	Documented int     `json:"documented"`
	Percent    float64 `json:"percent"` // from 0 to 100
}

// Operation describes what was seen of an operation.
type Operation struct {
	Name      string         `json:"name"` // such as workflow.getPool
	Exchanges int            `json:"exchanges"`
	Statuses  map[string]int `json:"statuses"` // answers, by status

	// Parts of requests and answers that were seen, and that were not: media types, parameters, values of enumerations
	// and properties. Of an operation that was never called neither is known.
	Covered    int `json:"covered"`
	Documented int `json:"documented"`
}
