// Package simulation_test holds the checker against recordings of a platform that it simulates: accounts with several
// clients, whose requests overlap, on a platform that keeps the life-cycle rules or breaks one of them. The platform is
// written from the documents, and shares no code with the mock server or with the rules.
package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"svc.example/understudy/specs/recording"
)

// Base addresses of the interfaces.
const (
	workflow  = "https://workflow.svc.example/api"
	core      = "https://core.svc.example/v3"
	dwh       = "https://dwh.svc.example/v1/dwh/"
	ingestion = "https://ingestion.svc.example/postback/v3/event/"
)

type object = map[string]any

// world is the platform at one instant, and all that was asked of it before.
type world struct {
	*rand.Rand
	now, lastEnd time.Time // when the last request took effect, and when the last answer was complete
	settled      time.Time // what is asked from now on begins later
	overlaps     bool      // whether requests of several clients may be under way at a time
	counters     map[string]int
	isGlobal     map[string]bool // kinds whose ids are unique over all accounts
	versions     map[string]int  // of things, counting their changes
	accounts     []*account
	log          []*event
	current      *event
	cheat        string // the one way in which the platform breaks its rules now
	victim       any    // what it concerns, if it is one thing of several
	twice        int    // how many percent of the requests take effect twice
}

// event is an exchange and what the simulator knows of it.
type event struct {
	recording.Exchange
	client    *client
	effect    time.Time
	writes    map[string]int // versions of things after it
	shows     map[string]int // versions of the things that the answer shows, or shows to be gone
	isPlanted bool           // it is where the platform breaks a rule
	isPage    bool
}

// account is a customer of the platform, with all that belongs to it.
type account struct {
	name    string
	number  int
	clients []*client
	limit   int // of all its pools together

	pools    []*pool
	rules    []*poolRule
	attempts []*attempt
	projects []*project

	databases    []*database
	tables       []*table
	tokens       []*token
	subUsers     []*subUser
	jobs         []*job
	integrations []*integration
}

// client is a program that uses one key, one request at a time.
type client struct {
	account  *account
	name     string // of its user
	key      string
	busy     time.Time
	sub      *subUser // whose key it uses, if any
	isUnseen bool     // it is not recorded
}

var epoch = time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC)

// newWorld makes a platform with accounts, each with clients and something to begin with.
func newWorld(p plot) *world {
	w := &world{
		Rand: rand.New(rand.NewPCG(p.seed, 1)), now: epoch, lastEnd: epoch,
		counters: map[string]int{}, isGlobal: map[string]bool{}, versions: map[string]int{}, overlaps: p.overlaps,
		twice: p.twice,
	}
	for _, kind := range []string{"pool", "rule", "attempt", "project", "table", "token", "user", "dwh", "job"} {
		w.isGlobal[kind] = w.chance(50)
	}
	for i := range p.accounts {
		w.accounts = append(w.accounts, w.newAccount(i))
	}
	return w
}

func (w *world) newAccount(number int) *account {
	a := &account{name: fmt.Sprintf("a%d", number+1), number: number + 1, limit: 100 + 10*w.IntN(10)}
	for i := range 1 + w.IntN(3) {
		a.addClient(fmt.Sprintf("user%d", i+1))
	}
	for _, name := range []string{"shop", "stock"} {
		w.addProject(a, name)
	}
	for range 2 + w.IntN(2) {
		w.addDatabase(a)
	}
	for range 2 + w.IntN(3) {
		w.addTable(a, pick(w, a.databases))
	}
	for range 2 + w.IntN(2) {
		w.addSubUser(a)
	}
	for range 3 + w.IntN(4) {
		w.addToken(a, a.user(w.IntN(2)), pick(w, []string{"crm", "bi"}))
	}
	return a
}

func (a *account) addClient(name string) *client {
	c := &client{account: a, name: a.name + name, key: fmt.Sprintf("%s/%s%s", a.name[1:], a.name, name)}
	a.clients = append(a.clients, c)
	return c
}

// user returns the id of one of the users of an account, who are not sub users.
func (a *account) user(n int) int { return 1000 + 10*a.number + n }

// birth returns when something was made: now, or some day before all requests.
func (w *world) birth() time.Time {
	if w.current != nil || len(w.log) > 0 {
		return w.now
	}
	return epoch.Add(-w.between(time.Hour, 1000*time.Hour))
}

// next returns a new id.
func (w *world) next(kind string, a *account) int {
	key := kind
	if !w.isGlobal[kind] {
		key += "/" + a.name
	}
	w.counters[key] += 1 + w.IntN(2)
	return 100 + w.counters[key]
}

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

func (w *world) between(low, high time.Duration) time.Duration {
	return low + time.Duration(w.Int64N(int64(high-low)))
}

func pick[T any](w *world, list []T) T { return list[w.IntN(len(list))] }

// touch notes that the request in hand changes a thing, and show that its answer shows it, or shows that it is gone.
func (w *world) touch(a *account, kind string, id any) {
	key := fmt.Sprintf("%s %s %v", a.name, kind, id)
	w.versions[key]++
	if w.current != nil {
		w.current.writes[key] = w.versions[key]
	}
}

func (w *world) show(a *account, kind string, id any) {
	key := fmt.Sprintf("%s %s %v", a.name, kind, id)
	if w.current != nil {
		w.current.shows[key] = w.versions[key]
	}
}
