package rights

import (
	"cmp"
	"slices"
)

// Claim is something that the recording shows of a state. Repairs are changes of the state at the beginning that may
// make it hold.
type Claim struct {
	N       int // the exchange that shows it
	Level   Level
	Holds   func(*State) bool
	Repairs func(*State) []Repair
}

// Level says when a claim is repaired: those that say more of what is the case come first.
type Level int

// The levels: what an answer shows plainly, what callers were allowed and refused, and how many there are of something.
const (
	Plain Level = iota
	Allowed
	Counted
)

// Repair changes a state at the beginning.
type Repair func(*State)

// Step holds the claims of one exchange on the state before it, its change, and its claims on the state after it. All
// of them may be nil.
type Step struct {
	Before, After []Claim
	Change        func(*State)
}

// replay counts the claims that do not hold, and returns the first one of the lowest level that is not given up, with
// the state at its time.
func replay(begin *State, steps []Step, givenUp map[*Claim]bool) (broken int, first *Claim, at *State) {
	s := begin.Clone()
	check := func(claims []Claim) {
		for i := range claims {
			c := &claims[i]
			if c.Holds(s) {
				continue
			}
			broken++
			if !givenUp[c] && (first == nil || first.Level > c.Level) {
				first, at = c, s.Clone()
			}
		}
	}
	for i := range steps {
		check(steps[i].Before)
		if steps[i].Change != nil {
			steps[i].Change(s)
		}
		check(steps[i].After)
	}
	return broken, first, at
}

// maxReplayed bounds the steps that a search replays, and the users and callers that it copies for that, so that it
// ends after about a second.
const maxReplayed = 4_000_000

// solver searches for the state at the beginning.
type solver struct {
	steps    []Step
	replayed int
	givenUp  map[*Claim]bool
}

// Solve returns the state at the beginning with which the fewest claims are broken, as far as a search from a first
// guess finds it, and the numbers of the exchanges whose claims stay broken.
func Solve(begin *State, steps []Step) (*State, []int) {
	x := &solver{steps: steps, givenUp: map[*Claim]bool{}}
	best := x.improve(begin.Clone())
	best = x.economize(best)
	return best, x.unexplained(best)
}

// score returns how bad a state is: broken claims first, then what has to be assumed.
func (x *solver) score(s *State) int {
	x.replayed += x.effort(s)
	broken, _, _ := replay(s, x.steps, nil)
	return 1000*broken + s.cost()
}

// effort returns about how much a replay takes.
func (x *solver) effort(s *State) int {
	return len(x.steps) + len(s.Users) + len(s.Callers) + len(s.Policies)
}

// improve repairs one broken claim after the other, by whatever makes the state better on the whole.
func (x *solver) improve(best *State) *State {
	score := x.score(best)
	for x.replayed < maxReplayed {
		_, claim, at := replay(best, x.steps, x.givenUp)
		if claim == nil {
			return best
		}
		next, nextScore := x.bestOf(best, claim.Repairs(at))
		if next != nil && nextScore < score {
			best, score = next, nextScore
			continue
		}
		if next, nextScore = x.lookAhead(best, claim, at); next != nil && nextScore < score {
			best, score = next, nextScore
			continue
		}
		x.givenUp[claim] = true
	}
	return best
}

func (x *solver) bestOf(s *State, repairs []Repair) (best *State, score int) {
	for _, repair := range repairs {
		if x.replayed > maxReplayed {
			break
		}
		candidate := s.Clone()
		repair(candidate)
		if n := x.score(candidate); best == nil || n < score {
			best, score = candidate, n
		}
	}
	return best, score
}

// How far a search looks ahead: how many repairs it tries, and how many more after each of them.
const (
	aheadWidth = 8
	aheadDepth = 5
)

// lookAhead tries the repairs that look best, also if they make it worse at first, with more repairs after each of
// them: a caller who turns out to be another user makes sense only with what that one may do.
func (x *solver) lookAhead(s *State, claim *Claim, at *State) (best *State, score int) {
	type trial struct {
		state *State
		score int
	}
	var trials []trial
	for _, repair := range claim.Repairs(at) {
		if x.replayed > maxReplayed {
			break
		}
		candidate := s.Clone()
		repair(candidate)
		trials = append(trials, trial{candidate, x.score(candidate)})
	}
	slices.SortStableFunc(trials, func(a, b trial) int { return cmp.Compare(a.score, b.score) })
	for _, t := range trials[:min(len(trials), aheadWidth)] {
		for range aheadDepth {
			x.replayed += x.effort(t.state)
			_, other, then := replay(t.state, x.steps, x.givenUp)
			if other == nil || x.replayed > maxReplayed {
				break
			}
			next, n := x.bestOf(t.state, other.Repairs(then))
			if next == nil || n >= t.score {
				break
			}
			t.state, t.score = next, n
		}
		if best == nil || t.score < score {
			best, score = t.state, t.score
		}
	}
	return best, score
}

// economize looks for callers who may be users that are known anyway.
func (x *solver) economize(best *State) *State {
	score := x.score(best)
	for _, isAdmin := range []bool{false, true} {
		for c := range best.Callers {
			u := best.caller(c)
			if u == nil || u.isKnown() || best.Callers[c].Fixed || u.Role.Administers() != isAdmin || x.replayed > maxReplayed {
				continue
			}
			if next, n := x.bestOf(best, best.reassign(c)); next != nil && n < score {
				best, score = next, n
			}
		}
	}
	return best
}

func (x *solver) unexplained(s *State) (numbers []int) {
	s = s.Clone()
	for i := range x.steps {
		for _, claims := range [][]Claim{x.steps[i].Before, nil, x.steps[i].After} {
			if claims == nil && x.steps[i].Change != nil {
				x.steps[i].Change(s)
			}
			for _, c := range claims {
				if !c.Holds(s) && !slices.Contains(numbers, c.N) {
					numbers = append(numbers, c.N)
				}
			}
		}
	}
	return numbers
}

// isKnown reports whether anything is known of a user but what its requests show.
func (u *User) isKnown() bool { return u.ID != "" || u.Email != "" || u.Name != "" }

// isImplausible reports whether a user who sends requests administers the account, and yet has what only others need.
func (u *User) isImplausible(calls bool) bool {
	return calls && u.Role.Administers() &&
		(u.IsServed || len(u.Policies)+len(u.Groups)+len(u.Manages)+len(u.Permissions) > 0)
}

// cost returns how much a state assumes.
func (s *State) cost() (cost int) {
	called, isUsed := map[int]int{}, map[int]bool{}
	for _, c := range s.Callers {
		isUsed[c.User] = true
		if !c.Absent {
			called[c.User]++
		}
	}
	for i := range s.Users {
		u := &s.Users[i]
		if u.Gone {
			continue
		}
		if !u.isKnown() {
			cost += 6
		}
		if n := called[u.Key]; n > 1 {
			cost += 14 * (n - 1)
		}
		if u.isImplausible(isUsed[u.Key]) {
			cost += 8
		}
		cost += len(u.Policies) + len(u.Groups) + len(u.Manages) + u.Permissions.cost()
	}
	for _, p := range s.Policies {
		if !p.Known {
			cost += p.Permissions.cost()
		}
		if p.MadeUp {
			cost += 8
		}
	}
	for _, g := range s.Groups {
		cost += len(g.Policies)
	}
	return cost
}

func (p Permissions) cost() (cost int) {
	for _, entries := range p {
		for _, entry := range entries {
			if cost += 2; entry["operation"] == "manage" {
				cost += 3
			}
		}
	}
	return cost
}
