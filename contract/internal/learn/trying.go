package learn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
)

// trial is a scenario with what a server that begins with it answers.
type trial struct {
	begin    beginning
	root     *mapping
	notes    []string
	guesses  []Guess
	keys     []Key
	replayed map[*judge.Result]*compare.Exchange
	rights   map[string]string // as people.rights returns them
	score    int               // the less, the better
}

// search looks for the beginning with which a server answers most like the recorded one. It replays the recording,
// takes the first answer that differs in what the caller may do, or shows other rights, and tries the changes of the
// beginning that can explain it. It ends when no difference is left, or after some number of replays.
type search struct {
	*learner
	best    *trial
	spent   int // exchanges that were replayed, and a quarter of all for each scenario, which costs about as much
	limit   int // of them
	givenUp map[attempt]bool
	tried   map[scenarioDigest]int // how much the answers differed, at least

	showsRights map[*judge.Result]bool // of what users may do

	err error // with which it ended
}

// isOver reports whether no more is tried.
func (s *search) isOver() bool { return s.Build == nil || s.err != nil || s.spent >= s.limit }

type scenarioDigest [sha256.Size]byte

// attempt is a pass in which an exchange was tried to be explained.
type attempt struct{ pass, exchange int }

// learnBeginning returns the scenario with the best beginning that was found.
func (l *learner) learnBeginning(ctx context.Context) (*mapping, error) {
	s := &search{learner: l, givenUp: map[attempt]bool{}, tried: map[scenarioDigest]int{}}
	if s.best = s.try(ctx, l.people.begin); s.best == nil {
		return nil, s.err
	}
	s.showsRights = map[*judge.Result]bool{}
	for _, e := range l.exchanges {
		s.showsRights[e.Result] = l.isAboutRights(e)
	}
	s.limit = l.Effort / 2 // and as much again to find out who the callers are
	for !s.isOver() && s.improve(ctx) {
		continue
	}
	s.limit = l.Effort
	for _, isAdmin := range []bool{false, true} { // of whom less is shown
		for _, c := range l.people.callers {
			role, _ := s.role(s.best.begin.first(userOf, c.identity))
			if !s.isOver() && isAdmin == (role == administrator) {
				s.economize(ctx, c)
			}
		}
	}
	s.adopt(s.best)
	if s.spent >= s.limit && l.Build != nil {
		s.notes = append(s.notes, fmt.Sprintf("the search for who may do what ended at its effort of %d exchanges", s.limit))
	}
	s.noteRefusals()
	return s.best.root, s.err
}

// noteRefusals notes the exchanges that are allowed or refused by the best beginning, and were not when recorded.
func (s *search) noteRefusals() {
	var numbers []int
	for _, e := range s.exchanges {
		if done := s.replayed[e.Result]; done != nil && done.Answer != nil &&
			isRefused(e.Status()) != isRefused(done.Answer.Status) {
			numbers = append(numbers, e.N)
		}
	}
	const most = 20
	if len(numbers) > 0 {
		note := fmt.Sprintf(
			"no users and policies were found with which the following exchanges are allowed, or refused, as recorded: %v",
			numbers[:min(most, len(numbers))])
		if more := len(numbers) - most; more > 0 {
			note += fmt.Sprintf(" and %d more", more)
		}
		s.notes = append(s.notes, note)
	}
}

// adopt makes a trial the state of the learner.
func (s *search) adopt(t *trial) {
	s.people.settle(t.begin)
	s.notes, s.guesses, s.people.keys, s.replayed = t.notes, t.guesses, t.keys, t.replayed
}

// try replays the recording with a beginning. It ends early, with the worst score, once that cannot be better than the
// best one. Without a server there is nothing but the scenario. After an error it returns nil, but for the first trial
// if the context ends.
func (s *search) try(ctx context.Context, b beginning) *trial {
	notes := s.notes
	defer func() { s.notes = notes }()
	s.people.settle(b)
	s.guesses, s.llmSection, s.assumes, s.replayed = nil, nil, false, nil
	t := &trial{begin: b, root: s.scenario(ctx)}
	s.err = ctx.Err()
	if s.Build != nil && (s.err == nil || s.best == nil) {
		s.err = s.replayTo(ctx, t, len(notes))
	}
	if s.err != nil && (s.best != nil || ctx.Err() == nil) {
		return nil
	}
	t.notes, t.guesses, t.keys, t.replayed = s.notes, s.guesses, s.people.keys, s.replayed
	return t
}

// replayTo replays the recording to a server with the scenario of a trial, unless another trial with that scenario
// shows that it is not better than the best one.
func (s *search) replayTo(ctx context.Context, t *trial, notes int) error {
	t.score = math.MaxInt
	digest, assumed := s.digest(t.root), s.assumed(t)
	isWorse := func(differing int) bool { return s.best != nil && differing >= s.best.score-assumed }
	if differing, isKnown := s.tried[digest]; isKnown && isWorse(differing) {
		return nil
	}
	s.tried[digest] = math.MaxInt
	s.spent += len(s.exchanges) / 4
	subject, err := s.load(ctx, t.root, func(leftOut int) bool {
		least := badOmission * (len(s.notes) - notes + leftOut)
		if isWorse(least) {
			s.tried[digest] = least
		}
		return isWorse(least)
	})
	if errors.Is(err, errHopeless) || err != nil && s.best != nil && ctx.Err() == nil {
		return nil
	} else if err != nil {
		return err
	}
	t.rights = s.people.rights()
	sum, isOver, isOther := badOmission*(len(s.notes)-notes), false, s.best == nil || !s.isLike(t)
	known := func(r *judge.Result) *compare.Answer {
		if isOther || isWrite(&Exchange{Result: r}) || s.showsRights[r] || s.mayOther(t, r) {
			return nil
		}
		return s.best.replayed[r].Answer
	}
	err = s.replay(ctx, subject, known, func(e *compare.Exchange) bool {
		if s.spent++; s.best == nil {
			return false
		}
		if before := s.best.replayed[e.Result].Answer; before.Equal(e.Answer) {
			e.Answer = before // of which one is enough
		}
		isOther = isOther || isWrite(&Exchange{Result: e.Result}) &&
			(s.best.replayed[e.Result].Answer != e.Answer || s.mayOther(t, e.Result))
		sum += badness(e)
		isOver = isWorse(sum)
		return isOver
	})
	if subject.Close != nil {
		subject.Close()
	}
	if s.tried[digest] = sum; !isOver {
		s.tried[digest] = badOmission*(len(s.notes)-notes) + s.differ()
		t.score = s.tried[digest] + assumed
	}
	return err
}

// mayOther reports whether the caller of a request may do something else in a trial than in the best one.
func (s *search) mayOther(t *trial, r *judge.Result) bool {
	identity := r.Credential().Identity
	return t.rights[identity] != s.best.rights[identity]
}

// isLike reports whether the scenario of a trial differs from the best one in no more than the rights of users: then
// what only reads is answered alike to callers with the same rights, until a request that writes is answered otherwise.
func (s *search) isLike(t *trial) bool {
	const account = "account"
	rest := func(root *mapping) *yaml.Node {
		return without(root.node, map[*yaml.Node]bool{root.get(account): true})
	}
	return isSame(rest(t.root), rest(s.best.root)) && t.rights[""] == s.best.rights[""]
}

// digest returns what no other scenario has, with its keys.
func (s *search) digest(root *mapping) (d scenarioDigest) {
	hash := sha256.New()
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		fmt.Fprintf(hash, "%d %q %q %q %d\n", n.Kind, n.Tag, n.Value, n.HeadComment, len(n.Content))
		for _, child := range n.Content {
			add(child)
		}
	}
	add(root.node)
	fmt.Fprint(hash, s.people.keys)
	return scenarioDigest(hash.Sum(nil))
}

// How bad it is if the server refuses what was not refused, or the other way round, if an entity must be left out, if
// something else fails or succeeds, if other rights are shown, and each other difference.
const (
	badRefusal  = 1000
	badOmission = 1000
	badStatus   = 950
	badRight    = 200
	badValue    = 100
)

// What a beginning assumes. It counts less than any difference, and more the less likely it is.
const (
	oneFact      = 1
	spareUser    = 6  // of whom nothing is shown
	madeUpPolicy = 8  // which no answer shows
	idleRights   = 8  // of an administrator, who needs none
	secondKey    = 14 // of one user
)

// differ returns how much the answers differ.
func (s *search) differ() (score int) {
	for _, e := range s.exchanges {
		done := s.replayed[e.Result]
		score += badness(done)
		if isOther(done) && e.ok() && done.Answer.Status/100 == 2 {
			missing, extra := s.differing(e, done)
			score += badRight * (len(missing) + len(extra))
		}
	}
	return score
}

// assumed returns how much the beginning assumes.
func (s *search) assumed(t *trial) (score int) {
	for at, list := range t.begin {
		switch at.what {
		case roleOf, userOf, sameAs:
		default:
			score += oneFact * len(list)
		}
	}
	score += madeUpPolicy * len(s.people.madeUp())
	for _, u := range s.people.users {
		if u.isSpare {
			score += spareUser
		}
		if u.role == administrator && (u.isGiven || s.people.hasAny(t.begin, u)) {
			score += idleRights
		}
	}
	callers := map[*user]int{}
	for _, u := range s.people.byKey {
		if callers[u]++; callers[u] > 1 {
			score += secondKey
		}
	}
	return score
}

// isOther reports whether there is an answer, and it differs from the recorded one.
func isOther(e *compare.Exchange) bool { return e != nil && e.Answer != nil && len(e.Differences) > 0 }

// badness returns how much an answer differs from the recorded one.
func badness(e *compare.Exchange) int {
	switch {
	case e == nil || e.Answer == nil:
		return 0
	case isRefused(e.Status()) != isRefused(e.Answer.Status):
		return badRefusal
	}
	if e.Status()/100 != e.Answer.Status/100 {
		return badStatus
	}
	return min(badValue*(len(e.Differences)+e.Omitted), badRefusal-badValue)
}

func isRefused(status int) bool {
	return status == http.StatusForbidden || status == http.StatusUnauthorized
}

// improve tries to explain one difference, and reports whether it has.
func (s *search) improve(ctx context.Context) bool {
	s.people.settle(s.best.begin)
	plain := change{}
	for _, e := range s.exchanges {
		if !s.givenUp[attempt{0, e.N}] {
			plain = plain.and(s.shownChange(e))
		}
	}
	if !plain.isEmpty() && s.isBetter(s.try(ctx, s.best.begin.with(plain))) {
		return true
	}
	for pass, explain := range []func(*Exchange) []change{s.explanations, s.counts} { // numbers say the least
		for _, e := range s.exchanges {
			list := explain(e)
			switch {
			case len(list) == 0 || s.givenUp[attempt{pass, e.N}]:
				continue
			case s.isBetter(s.bestOf(ctx, e, list)):
				return true
			case s.isOver():
				return false
			}
			s.givenUp[attempt{pass, e.N}] = true
		}
	}
	return false
}

// isBetter takes a trial for the best one if it is better, and reports whether it is.
func (s *search) isBetter(t *trial) bool {
	if t == nil || t.score >= s.best.score {
		return false
	}
	s.best = t
	return true
}

// bestOf returns the first trial that is better than the best one and explains the answer of an exchange, if there is
// such, or the best of those that are better, or nil.
func (s *search) bestOf(ctx context.Context, e *Exchange, list []change) (better *trial) {
	for _, c := range list {
		if s.isOver() {
			break
		}
		t := s.try(ctx, s.best.begin.with(c))
		if t == nil || t.score >= s.best.score || better != nil && t.score >= better.score {
			continue
		}
		better = t
		if e == nil {
			continue
		}
		if done := t.replayed[e.Result]; done != nil && done.Answer != nil && len(done.Differences) == 0 {
			break
		}
	}
	return better
}

// economize tries whether a caller of whom nothing is known is a user who is known anyway.
func (s *search) economize(ctx context.Context, c *caller) {
	now := s.best.begin.first(userOf, c.identity)
	if slices.ContainsFunc(s.people.all, func(u *user) bool { return u.id == now && u.isSpare }) {
		role, _ := s.role(now)
		s.isBetter(s.bestOf(ctx, nil, s.reassign(c.identity, role)))
	}
}
