package main

import (
	"container/heap"
	"time"
)

// client lives one life after the other. An account has a client for each lane, and what they do overlaps, since they
// use different things.
type client struct {
	account, lane int
	at            time.Time // of its next request
	living        *life
	next          int // step of the life
	turn          int // lives without a violation so far
	instance
	planted *planted // the violation that it lives through, if any
}

// schedule lets all clients act, in order of time.
type schedule struct {
	*library
	plan    *plan
	clients clients
	seed    uint64
	pause   int // longest pause between two lives, in milliseconds
	written int
	lives   int
}

// Times of clients, in milliseconds. Pauses grow with the number of clients, so that as many are active at a time,
// whatever their number.
const (
	pauseOfClient = 2_000
	gapOfRequests = 1_500
	shortest      = 100
	longest       = 900
)

func epoch() time.Time { return time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC) }

func newSchedule(c Config, all *library, p *plan) *schedule {
	s := &schedule{library: all, plan: p, seed: c.Seed, pause: pauseOfClient * c.Accounts * len(all.lanes)}
	for account := range c.Accounts {
		for lane := range all.lanes {
			x := &client{account: account, lane: lane, at: epoch()}
			x.at = x.at.Add(s.chance(s.pause, uint64(account), uint64(lane)))
			s.clients = append(s.clients, x)
		}
	}
	heap.Init(&s.clients)
	return s
}

// chance returns a time of up to so many milliseconds.
func (s *schedule) chance(most int, key ...uint64) time.Duration {
	return time.Duration(scramble(append(key, s.seed)...)%uint64(most*1000)) * time.Microsecond
}

// exchange holds an exchange of a client, and the violation that it is part of, if it is.
type exchange struct {
	instance
	*step
	number  int // of the step in its life
	planted *planted
}

// next returns the next exchange of all clients.
func (s *schedule) next() exchange {
	c := s.clients[0]
	if c.living == nil {
		s.begin(c)
	}
	e := exchange{instance: c.instance, step: &c.living.steps[c.next], number: c.next, planted: c.planted}
	e.start = c.at
	key := uint64(c.life)*idsOfLife + uint64(c.next)
	e.took = shortest + int(scramble(key, s.seed)%(longest-shortest))
	if e.slow > 0 {
		e.took = e.slow
	}
	c.at = c.at.Add(time.Duration(e.took+1)*time.Millisecond + s.chance(gapOfRequests, key, 1))
	if c.next++; c.next == len(c.living.steps) {
		c.living, c.planted = nil, nil
		c.at = c.at.Add(s.chance(s.pause, key, 2))
	}
	heap.Fix(&s.clients, 0)
	return e
}

// begin lets a client begin a life: the next of the planted ones if it is time for that.
func (s *schedule) begin(c *client) {
	c.next = 0
	c.instance = instance{account: c.account, life: s.lives, born: c.at.Truncate(time.Second)}
	s.lives++
	if c.planted = s.plan.due(s.written, c, s.lanes[c.lane].name); c.planted != nil {
		c.living = c.planted.life
		return
	}
	lives := s.lanes[c.lane].lives // in turn, so that all of them are lived through
	c.living = lives[(scramble(uint64(c.account), s.seed)+uint64(c.turn))%uint64(len(lives))]
	c.turn++
}

// clients is a heap of clients, by the time of their next request.
type clients []*client

func (c clients) Len() int { return len(c) }
func (c clients) Less(i, j int) bool {
	if !c[i].at.Equal(c[j].at) {
		return c[i].at.Before(c[j].at)
	}
	return c[i].account*len(c)+c[i].lane < c[j].account*len(c)+c[j].lane
}
func (c clients) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

// Push implements heap.Interface; the number of clients stays the same.
func (c *clients) Push(any) {}

// Pop implements heap.Interface; the number of clients stays the same.
func (c *clients) Pop() any { return nil }
