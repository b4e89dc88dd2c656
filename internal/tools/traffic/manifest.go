package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Manifest lists the violations that were planted in a recording. It is written as JSON.
type Manifest struct {
	Accounts  int       `json:"accounts"`
	Exchanges int       `json:"exchanges"`
	Seed      uint64    `json:"seed"`
	Files     []string  `json:"files"` // by their index in places, if they have names
	Planted   []Planted `json:"planted"`
}

// Planted is a violation at a known place.
type Planted struct {
	Rule      string  `json:"rule"`
	Kind      string  `json:"kind"`      // how the rule is violated, in words
	Account   int     `json:"account"`   // number of the account, as its keys show it
	Operation string  `json:"operation"` // method, interface and path
	At        Place   `json:"at"`
	Evidence  []Place `json:"evidence"` // the other exchanges of its life, which show that it is a violation
}

// Place says where an exchange is.
type Place struct {
	File int   `json:"file"` // index of the file, from 0
	Line int   `json:"line"` // of NDJSON, or number of the entry of HAR, from 1
	Seq  int64 `json:"seq"`  // number that the exchange has in the recording
}

// Write writes the manifest as JSON.
func (m *Manifest) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// plan holds the violations to plant, in the order in which they take place.
type plan struct {
	Config
	waiting []*planted
	all     []*planted
	single  map[key]bool // which rules an account may not violate once more
}

type key struct {
	rule    string
	account int
}

// planted is a violation that is to take place, and the places that it took so far.
type planted struct {
	*life
	after   int // exchanges
	account int
	places  []Place
}

func newPlan(c Config, all *library) (*plan, error) {
	p := &plan{Config: c, single: map[key]bool{}}
	for _, rule := range slices.Sorted(maps.Keys(c.Plant)) {
		kinds := all.violations[rule]
		if len(kinds) == 0 {
			return nil, fmt.Errorf("no violation of %q is known: want one of %v", rule, Rules())
		}
		if n := c.Plant[rule]; n > c.Accounts && kinds[0].isSingle {
			return nil, fmt.Errorf("%d violations of %s in %d accounts: want one in each at most", n, rule, c.Accounts)
		}
		for i := range c.Plant[rule] {
			p.all = append(p.all, &planted{life: kinds[i%len(kinds)]})
		}
	}
	chance := map[*planted]uint64{}
	for i, x := range p.all {
		chance[x] = scramble(c.Seed, uint64(i))
	}
	slices.SortFunc(p.all, func(a, b *planted) int { return cmp.Compare(chance[a], chance[b]) })
	for i, x := range p.all { // the end is left for those that wait for their client
		x.after = int(float64(i) / float64(len(p.all)) * 0.8 * float64(c.Exchanges))
	}
	p.waiting = slices.Clone(p.all)
	return p, nil
}

// due returns a violation that is to be planted now, if the client may live through it.
func (p *plan) due(written int, c *client, lane string) *planted {
	for i, x := range p.waiting {
		if x.after > written {
			break
		}
		if isFree := !x.isSingle || !p.single[key{x.rule, c.account}]; isFree && (x.lane == "" || x.lane == lane) {
			x.account = firstAccount + c.account
			p.single[key{x.rule, c.account}] = x.isSingle
			p.waiting = slices.Delete(p.waiting, i, i+1)
			return x
		}
	}
	return nil
}

// manifest returns what was planted.
func (p *plan) manifest() (*Manifest, error) {
	m := &Manifest{Accounts: p.Accounts, Exchanges: p.Exchanges, Seed: p.Seed, Files: []string{}, Planted: []Planted{}}
	for _, x := range p.all {
		at := slices.IndexFunc(x.steps, func(s step) bool { return s.isViolated })
		if len(x.places) < len(x.steps) {
			return nil, fmt.Errorf("%d exchanges are too few for %d violations", p.Exchanges, len(p.all))
		}
		m.Planted = append(m.Planted, Planted{
			Rule: x.rule, Kind: x.name, Account: x.account, Operation: x.steps[at].operation, At: x.places[at],
			Evidence: slices.Concat([]Place{}, x.places[:at], x.places[at+1:]),
		})
	}
	return m, nil
}
