package main

import "time"

const (
	workStep   = 5 * time.Millisecond // is worked at a time, at least
	defaultRun = 0.1                  // the share of one core that the judge of a console takes
)

// workShare lets those who work take turns, and rest so long that all together they work a share of the time. It
// measures by the clock on the wall, so that they rest longer where others need the processors as well.
type workShare struct {
	share float64       // above 0, 1 for no rest
	turn  chan struct{} // is full while the turn is taken

	since time.Time // when the turn began, or was counted last
	until time.Time // by when what was worked is within the share
}

func newWorkShare(share float64) *workShare {
	return &workShare{share: share, turn: make(chan struct{}, 1)}
}

// begin waits for the turn, and for the end of the rest that is due. When over is closed, it does not wait for a rest.
func (s *workShare) begin(over <-chan struct{}) {
	for {
		s.turn <- struct{}{}
		s.since = time.Now()
		due := s.until.Sub(s.since)
		if due <= s.slack() || isClosed(over) {
			return
		}
		<-s.turn
		rest(due, over)
	}
}

// rest waits for some time, or until a channel is closed.
func rest(d time.Duration, over <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	}
}

// pause takes a rest if one is due, and lets others have their turn meanwhile. It is called often.
func (s *workShare) pause(over <-chan struct{}) {
	if time.Since(s.since) >= workStep {
		s.end()
		s.begin(over)
	}
}

// end counts what was worked, and ends the turn.
func (s *workShare) end() {
	now := time.Now()
	if s.until.Before(s.since) {
		s.until = s.since
	}
	s.until = s.until.Add(time.Duration(float64(now.Sub(s.since)) / s.share))
	<-s.turn
}

// slack returns how far ahead of the share one may be, so that there are few and longer rests.
func (s *workShare) slack() time.Duration {
	return time.Duration(float64(workStep)/s.share) - workStep
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
