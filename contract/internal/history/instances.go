package history

import (
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// instance identifies the state behind requests: an installation, or a world of it, from one reset to the next.
type instance struct {
	world, address string
	file           string // of recordings that cannot be ordered against others
	isMock         bool
	era            int   // counts the resets that requests show, and the clocks that were set back
	epoch          int64 // of the world, as a mock counts its resets
}

// instances numbers the instances of exchanges, in the order of the recording.
//
// Recordings with times are ordered against each other. Without times they stand alone; so do those of a mock's world,
// whose numbers begin anew with each run, unless they go on where another file ends.
type instances struct {
	list   []instance
	index  map[instance]int
	above  []int // by instance, another one that it is the same as, or itself
	series map[series]*serial
	order  []series
	resets map[string]int // by world
	// files whose exchanges are neither in the order of their beginnings nor in that of their ends
	unordered map[string]bool
	// at each instance, an exchange that shows that the recording keeps Authorization headers
	keyed map[int]*facts.Exchange
}

// series identifies the exchanges of a world in one file.
type series struct{ world, address, file string }

// serial records how far a series of exchanges has come.
type serial struct {
	latest moment // of the one that began last
	ended  moment // of the one that ended last
	era    int
	resets int

	first, last     int64 // numbers
	firstAt, lastAt int   // the instances of these
}

// moment is the time of an exchange, as far as the recording shows it; the zero value is unknown.
type moment struct {
	seq        int64
	start, end time.Time
}

// isBefore reports whether the exchange was over when another began, by their times.
func (m moment) isBefore(other moment) bool {
	return !m.start.IsZero() && !other.start.IsZero() && m.end.Before(other.start)
}

func newInstances() *instances {
	return &instances{
		index: map[instance]int{}, series: map[series]*serial{}, resets: map[string]int{}, unordered: map[string]bool{},
		keyed: map[int]*facts.Exchange{},
	}
}

// assign gives an exchange its instance.
func (p *instances) assign(e *facts.Exchange) {
	s := p.serial(e)
	now := moment{e.Seq, e.Start, e.End}
	if s.breaks(now) {
		s.era, s.latest, s.ended = s.era+1, moment{}, moment{}
	}
	if n := p.resets[nameOf(e.World)]; n != s.resets {
		s.era, s.resets = s.era+1, n
	}
	if e.Start.Before(s.latest.start) && e.End.Before(s.ended.end) {
		p.unordered[e.File] = true
	}
	if !e.Start.Before(s.latest.start) {
		s.latest = now
	}
	if !e.End.Before(s.ended.end) {
		s.ended = now
	}
	at := instance{world: e.World, address: e.Address, isMock: e.Mock || e.World != "", era: s.era, epoch: e.Epoch}
	if e.Start.IsZero() || s.era > 0 || e.Own {
		at.file = e.File
	}
	n, known := p.index[at]
	if !known {
		n = len(p.list)
		p.list, p.above, p.index[at] = append(p.list, at), append(p.above, n), n
	}
	e.At = n
	s.count(e)
	if e.Keyed && p.keyed[n] == nil {
		p.keyed[n] = e.WithoutFacts()
	}
}

// of returns an instance by its number.
func (p *instances) of(at int) *instance { return &p.list[at] }

// nameOf returns the name of a world, which the default one has also where it is not named.
func nameOf(world string) string {
	if world == "" {
		return "default"
	}
	return world
}

func (p *instances) serial(e *facts.Exchange) *serial {
	key := series{e.World, e.Address, e.File}
	s := p.series[key]
	if s == nil {
		s = &serial{resets: p.resets[nameOf(e.World)]}
		p.series[key], p.order = s, append(p.order, key)
	}
	return s
}

// breaks reports whether an exchange cannot belong to the same history: its sequence number and its time contradict
// those of what was seen before, as when the clock of a mock was set back, or another server was started.
func (s *serial) breaks(now moment) bool {
	m := s.latest
	if m.seq == 0 || now.seq == 0 {
		return false
	}
	return m.seq > now.seq && m.isBefore(now) || m.seq < now.seq && now.isBefore(m)
}

// count keeps the first and the last number of a series in a mock's own recording.
func (s *serial) count(e *facts.Exchange) {
	if !e.Own {
		return
	}
	if s.first == 0 || e.Seq < s.first {
		s.first, s.firstAt = e.Seq, e.At
	}
	if e.Seq > s.last {
		s.last, s.lastAt = e.Seq, e.At
	}
}

// mergeContinued makes one instance of those where one file goes on with the numbers of another, when the whole
// recording is known. When more of it is, this is decided anew.
func (p *instances) mergeContinued() {
	for at := range p.above {
		p.above[at] = at
	}
	type end struct {
		world, address string
		number         int64
	}
	ends := map[end]int{}
	for _, key := range p.order {
		if s := p.series[key]; s.last > 0 {
			ends[end{key.world, key.address, s.last}] = s.lastAt
		}
	}
	for _, key := range p.order {
		s := p.series[key]
		if previous, known := ends[end{key.world, key.address, s.first - 1}]; known && s.first > 1 &&
			p.list[s.firstAt].epoch == p.list[previous].epoch {
			p.above[p.root(s.firstAt)] = p.root(previous)
		}
	}
}

// root returns the instance that stands for all that are the same as one.
func (p *instances) root(at int) int {
	for p.above[at] != at {
		at = p.above[at]
	}
	return at
}
