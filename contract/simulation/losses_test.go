package simulation_test

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Losses: what may become of a history before it is checked.
const (
	drop5, drop20, drop40 = "drop 5 %", "drop 20 %", "drop 40 %"
	oneClient             = "one client unrecorded"
	perClient             = "a file per client"
	cut                   = "cut in time"
	shuffled              = "entries shuffled"
	doubled               = "overlapping files"
	redacted              = "credentials redacted alike"
	pseudonyms            = "credentials as pseudonyms"
	pages                 = "pages dropped"
	timeless              = "no times"
	seconds               = "times in whole seconds"
	unseen                = "an actor unseen"
)

func allLosses() []string {
	return []string{
		drop5, drop20, drop40, oneClient, perClient, cut, shuffled, doubled, redacted, pseudonyms, pages, timeless, seconds,
		unseen,
	}
}

// Forms of recordings.
const (
	ndjson   = "NDJSON"
	plain    = "NDJSON without numbers"
	har      = "HAR"
	numForms = 3
)

// loss describes what is lost of one history.
type loss struct {
	seed  uint64
	kinds []string
	form  string
	keep  *event // is not dropped, whatever happens

	isWhole  bool // nothing is dropped after all
	oneKeyed bool // all clients of an account, but for sub users, have one key after all
	inWorlds bool // the recording distinguishes accounts after all
}

// newLoss draws one: none in three of ten recordings, else one, two or three.
func newLoss(seed uint64) loss {
	r := rand.New(rand.NewPCG(seed, 2))
	l := loss{seed: seed, form: []string{ndjson, plain, har}[r.IntN(numForms)]}
	if r.IntN(10) < 3 {
		return l
	}
	n := []int{1, 1, 1, 2, 3}[r.IntN(5)]
	for _, i := range r.Perm(len(allLosses()))[:n] {
		l.kinds = append(l.kinds, allLosses()[i])
	}
	if l.has(timeless) { // nothing else would show the order
		l.kinds = slices.DeleteFunc(l.kinds, func(kind string) bool {
			return slices.Contains([]string{perClient, shuffled, cut, doubled, seconds}, kind)
		})
		l.form = []string{ndjson, plain}[r.IntN(2)]
	}
	return l
}

func (l loss) has(kind string) bool { return slices.Contains(l.kinds, kind) }

// String names the losses.
func (l loss) String() string {
	if len(l.kinds) == 0 {
		return "none; " + l.form
	}
	return strings.Join(l.kinds, ", ") + "; " + l.form
}
