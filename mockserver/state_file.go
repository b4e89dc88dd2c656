package mockserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/internal/statefile"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/control"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

// defaultSavePause is the time between two looks at whether there is anything to save.
const defaultSavePause = 2 * time.Second

// WithStateFile keeps the worlds of the server in a file: New loads those that the file has, in place of the world that
// it would begin with, and Close saves all worlds. Between them they are saved after changes, while requests go on:
// every two seconds, or after twice the time that it took the last time, if that is longer. The file is replaced at
// once, so that a killed process leaves the worlds as they were when they were saved last. GET /_understudy/health says
// when that was, and why the worlds cannot be saved. API keys are in the file; only its owner may read it.
//
// Worlds keep their ids, states, clocks, seeds, minted keys, checkpoints, and what a reset returns to. A real clock
// goes on while the server does not run. Journals are not kept. A file of another version, a damaged one, and one that
// another server has in use are errors of New, which changes none of them.
func WithStateFile(file string) Option {
	return func(c *config) error {
		if file == "" {
			return errors.New("state file: want the path of a file")
		}
		c.stateFile = file
		return nil
	}
}

// keeper keeps the worlds of a server in a file. A nil one keeps nothing.
type keeper struct {
	server *Server
	file   *statefile.File
	stop   chan struct{}
	saving routine.Group

	close func() error // once

	mu      sync.Mutex
	saved   []worlds.Saved                    // as they are in the file
	moments map[*world.State]statefile.Moment // likewise

	health atomic.Pointer[control.State] // after the last save
}

// newKeeper loads the worlds in the server's file, if it has one, and begins to save them.
func (s *Server) newKeeper() (*keeper, error) {
	if s.stateFile == "" {
		return nil, nil
	}
	file, err := statefile.Open(s.stateFile)
	if err != nil {
		return nil, fmt.Errorf("state file: %w", err)
	}
	k := &keeper{server: s, file: file, stop: make(chan struct{})}
	k.close = sync.OnceValue(k.end)
	if err := k.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("state file: %w", err), file.Close())
	}
	k.saving.Go(k.run)
	return k, nil
}

// Close saves the worlds for the last time.
func (k *keeper) Close() error {
	if k == nil {
		return nil
	}
	return k.close()
}

func (k *keeper) end() error {
	close(k.stop)
	failed := k.saving.Wait()
	err := routine.Try(k.save)
	if err != nil {
		err = fmt.Errorf("save the state: %w", err)
	}
	return errors.Join(failed, err, k.file.Close())
}

// run saves the worlds after changes. It takes at most a third of the time for that.
func (k *keeper) run() error {
	pause := k.server.savePause
	for slowest := slowSave; ; {
		select {
		case <-k.stop:
			return nil
		case <-time.After(pause):
		}
		began := clock.Wall()
		_ = k.save() // which logs it
		took := clock.Wall().Sub(began)
		if pause = max(k.server.savePause, 2*took); took > slowest {
			slowest = 2 * took
			k.server.log.Warn("saving the worlds takes long: a killed server loses what was done since it was saved last",
				slog.String("file", k.server.stateFile), slog.Duration("takes", took), slog.Duration("loses up to", pause+took))
		}
	}
}

// slowSave is the time of a save from which on the log says so.
const slowSave = 2 * time.Second

// save saves the worlds unless nothing has changed. An error is logged when it first occurs.
func (k *keeper) save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	began := clock.Wall()
	before := k.health.Load()
	if before == nil {
		before = &control.State{Takes: "0s"}
	}
	list, serial := k.server.worlds.Save()
	if before.Error == "" && slices.EqualFunc(list, k.saved, worlds.Saved.Equal) {
		k.health.Store(&control.State{Saved: began.UTC(), Takes: before.Takes})
		return nil
	}
	written := map[*world.State]statefile.Moment{}
	err := k.file.Write(func(w *statefile.Writer) (statefile.Content, error) {
		add := momentWriter{k.server, w, began.UTC().Round(0), k.moments, written}
		return k.server.writeWorlds(add, list, serial)
	})
	if err != nil {
		if err.Error() != before.Error {
			k.server.log.Error("the worlds are not saved; the file has them as they were before",
				slog.String("file", k.server.stateFile), slog.Any("error", err))
		}
		k.health.Store(&control.State{Saved: before.Saved, Takes: before.Takes, Error: err.Error()})
		return err
	}
	if before.Error != "" {
		k.server.log.Info("the worlds are saved again", slog.String("file", k.server.stateFile))
	}
	k.saved, k.moments = list, written
	k.health.Store(&control.State{Saved: began.UTC(), Takes: clock.Wall().Sub(began).Round(time.Millisecond).String()})
	return nil
}

// state returns what health says of the file; nil without one.
func (k *keeper) state() *control.State {
	if k == nil {
		return nil
	}
	return k.health.Load()
}

// load loads the worlds that the file has.
func (k *keeper) load() error {
	var states []world.State
	content, err := k.file.Read(func(dump []byte) error {
		state, err := world.Load(bytes.NewReader(dump), clock.Frozen)
		states = append(states, state)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, statefile.ErrEmpty) {
		return k.save() // what is wrong with the folder is to be known at the start
	}
	if err != nil {
		return err
	}
	s := k.server
	if brand := s.brandWord(); !strings.EqualFold(content.Brand, brand) {
		return fmt.Errorf("%s: it was saved with the brand %s, and this server has %s: start it with that brand, or choose "+
			"another file", s.stateFile, content.Brand, brand)
	}
	for i := range states {
		s.indexOwn(&states[i])
		if err := fault.CheckPlan(&states[i], s.served()); err != nil {
			return fmt.Errorf("%s: faults do not fit the documents: start the server with those that it had, or choose another "+
				"file: %w", s.stateFile, inWords(err, s.brand))
		}
	}
	of := momentReader{s.config, states, clock.Wall(), map[statefile.Moment]*world.State{}}
	if of.now.Before(content.Saved) {
		of.now = content.Saved
	}
	list, err := of.worlds(content)
	if err == nil {
		err = s.worlds.Load(list, content.Serial)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.stateFile, err)
	}
	k.saved, _ = s.worlds.Save()
	k.health.Store(&control.State{Saved: content.Saved, Takes: "0s"})
	k.moments = map[*world.State]statefile.Moment{}
	for m, value := range of.made {
		k.moments[value] = m
	}
	s.log.Info("loaded the worlds", "file", s.stateFile, "worlds", len(list), "saved", content.Saved,
		"scenario", s.worlds.Get(worlds.Default).Peek().Scenario)
	return nil
}

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
