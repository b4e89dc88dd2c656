package mockserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"svc.example/understudy/internal/statefile"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

func (s *Server) brandWord() string { return string(cmp.Or(s.brand, specs.Neutral)) }

// writeWorlds writes the states of worlds, each once, and returns the rest of the content.
func (s *Server) writeWorlds(add momentWriter, list []worlds.Saved, serial uint64) (statefile.Content, error) {
	c := statefile.Content{Saved: add.now, Brand: s.brandWord(), Serial: serial}
	for _, one := range list {
		kept := statefile.World{ID: one.ID, Fork: one.Fork, Keys: one.Keys, Checkpoints: map[string]*statefile.Moment{}}
		var errs [2]error
		kept.Now, errs[0] = add.moment(one.Value)
		kept.Origin, errs[1] = add.moment(one.Origin)
		for name, value := range one.Checkpoints {
			m, err := add.moment(value)
			if err != nil {
				return c, err
			}
			kept.Checkpoints[name] = &m
		}
		if err := errors.Join(errs[:]...); err != nil {
			return c, fmt.Errorf("world %s: %w", one.ID, err)
		}
		c.Worlds = append(c.Worlds, kept)
	}
	return c, nil
}

// momentWriter writes states. Those with a real clock have no time of their own, so that equal ones have equal dumps;
// by how much their clocks are ahead stands beside them.
type momentWriter struct {
	server  *Server
	to      *statefile.Writer
	now     time.Time
	before  map[*world.State]statefile.Moment // what the file has now
	written map[*world.State]statefile.Moment
}

func (w momentWriter) moment(value *world.State) (m statefile.Moment, err error) {
	if m, known := w.written[value]; known {
		return m, nil
	}
	if old, had := w.before[value]; had {
		if index, kept := w.to.Keep(old.State); kept {
			old.State = index
			w.written[value] = old
			return old, nil
		}
	}
	stopped := *value
	var ahead time.Duration
	if value.Clock.Mode() == clock.Real {
		ahead = value.Now().Sub(clock.Wall()).Round(time.Millisecond)
		stopped.Clock = clock.New(clock.Frozen, time.Unix(0, 0))
	}
	release, err := w.server.dumpMemory(context.Background(), value)
	if err != nil {
		return m, err
	}
	defer release()
	dump, err := stopped.Marshal()
	if err != nil {
		return m, err
	}
	m = statefile.NewMoment(w.to.Add(dump), string(value.Clock.Mode()), ahead)
	w.written[value] = m
	return m, nil
}

// worlds makes worlds of the content of a file.
func (r momentReader) worlds(c statefile.Content) (list []worlds.Saved, err error) {
	for _, one := range c.Worlds {
		saved := worlds.Saved{ID: one.ID, Fork: one.Fork, Keys: one.Keys, Checkpoints: map[string]*world.State{}}
		var errs [2]error
		saved.Value, errs[0] = r.state(one.Now)
		saved.Origin, errs[1] = r.state(one.Origin)
		for name, m := range one.Checkpoints {
			value, err := r.state(*m)
			if err != nil {
				return nil, fmt.Errorf("checkpoint %s of world %s: %w", name, one.ID, err)
			}
			saved.Checkpoints[name] = value
		}
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("world %s: %w", one.ID, err)
		}
		list = append(list, saved)
	}
	return list, nil
}

// momentReader finds states. Equal ones are the same.
type momentReader struct {
	config *config
	states []world.State
	now    time.Time // no earlier than the file was saved, so that no clock goes back
	made   map[statefile.Moment]*world.State
}

func (r momentReader) state(m statefile.Moment) (*world.State, error) {
	if value := r.made[m]; value != nil {
		return value, nil
	}
	mode, err := clock.ParseMode(m.Clock)
	if err != nil {
		return nil, err
	}
	value := r.states[m.State]
	now := value.Now()
	if mode == clock.Real {
		now = r.now.Add(time.Duration(m.Ahead))
	}
	value.Clock = clock.New(mode, now)
	value.Brand, value.Core.RecordLimit = string(r.config.brand), r.config.recordLimit
	r.made[m] = &value
	return &value, nil
}
