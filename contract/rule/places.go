package rule

// place is where requests have one state behind them: an installation, or a world of it, from one reset to the next.
type place struct {
	world, site string
	file        string // of recordings that cannot be ordered against others
	isMock      bool
	era         int // counts the resets, and the clocks that were set back
}

// places gives events their place, in the order of the recording.
//
// Recordings with times are ordered against each other. Without times they stand alone; so do those of a mock's world,
// whose numbers begin anew with each run, unless they go on where another file ends.
type places struct {
	list      []place
	index     map[place]int
	series    map[series]*serial
	last      map[world]series // of each world, in whichever file it was seen last
	resets    map[string]int   // by world
	unordered map[string]bool  // files whose exchanges are neither in the order in which they began nor in that in which they ended
	keyed     map[int]*Event   // at each place, an exchange that shows that the recording keeps Authorization headers
}

// series is what a file tells of a world.
type series struct {
	world
	file string
}

type world struct{ world, site string }

// serial is how far a series of exchanges has come.
type serial struct {
	file   string // that the series began in
	latest *Event // the one that began last
	ended  *Event // the one that ended last
	era    int
	resets int
}

func newPlaces() *places {
	return &places{
		index: map[place]int{}, series: map[series]*serial{}, last: map[world]series{}, resets: map[string]int{}, keyed: map[int]*Event{},
		unordered: map[string]bool{},
	}
}

// take gives an event its place.
func (p *places) take(e *Event) {
	s := p.serial(e)
	if s.breaks(e) {
		s.era, s.latest, s.ended = s.era+1, nil, nil
	}
	if n := p.resets[nameOf(e.World)]; n != s.resets {
		s.era, s.resets = s.era+1, n
	}
	if s.latest != nil && e.Start.Before(s.latest.Start) && e.End.Before(s.ended.End) {
		p.unordered[e.File] = true
	}
	if s.latest == nil || !e.Start.Before(s.latest.Start) {
		s.latest = e
	}
	if s.ended == nil || !e.End.Before(s.ended.End) {
		s.ended = e
	}
	at := place{world: e.World, site: e.Site, isMock: e.Mock || e.World != "", era: s.era}
	if e.Start.IsZero() || s.era > 0 || e.Own {
		at.file = s.file
	}
	n, known := p.index[at]
	if !known {
		n = len(p.list)
		p.list, p.index[at] = append(p.list, at), n
	}
	e.At = n
	if e.Keyed && p.keyed[n] == nil {
		p.keyed[n] = e
	}
}

// nameOf is the name of a world, which the default one has also where it is not named.
func nameOf(world string) string {
	if world == "" {
		return "default"
	}
	return world
}

func (p *places) serial(e *Event) *serial {
	where := world{e.World, e.Site}
	key := series{where, e.File}
	s := p.series[key]
	if s == nil {
		s = &serial{file: e.File, resets: p.resets[nameOf(e.World)]}
		if before := p.series[p.last[where]]; e.Own && before != nil && before.latest.Seq+1 == e.Seq {
			*s = *before
		}
		p.series[key] = s
	}
	p.last[where] = key
	return s
}

// breaks reports whether an exchange cannot belong to the same history: its sequence number and its time contradict
// those of what was seen before, as when the clock of a mock was set back, or another server was started.
func (s *serial) breaks(e *Event) bool {
	m := s.latest
	if m == nil || m.Seq == 0 || e.Seq == 0 {
		return false
	}
	return m.Seq > e.Seq && strictlyBefore(m, e) || m.Seq < e.Seq && strictlyBefore(e, m)
}
