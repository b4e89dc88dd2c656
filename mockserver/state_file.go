package mockserver

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"svc.example/understudy/internal/statefile"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

// defaultSavePause is the time between two looks at whether there is anything to save.
const defaultSavePause = 2 * time.Second

// WithStateFile keeps the worlds of the server in a file: New loads those that the file has, in place of the world that
// it would begin with, and Close saves all worlds. Between them they are saved after changes, at most every two
// seconds, while requests go on. The file is replaced at once, so that a killed process leaves the worlds as they were
// saved last. API keys are in it; only its owner may read it.
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
	done   chan struct{}

	close func() error // once

	mu      sync.Mutex
	saved   []worlds.Saved                    // as they are in the file
	moments map[*world.State]statefile.Moment // likewise
	err     error                             // of the last save
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
	k := &keeper{server: s, file: file, stop: make(chan struct{}), done: make(chan struct{})}
	k.close = sync.OnceValue(k.end)
	if err := k.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("state file: %w", err), file.Close())
	}
	go k.run()
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
	<-k.done
	err := k.save()
	if err != nil {
		err = fmt.Errorf("save the state: %w", err)
	}
	return errors.Join(err, k.file.Close())
}

// run saves the worlds after changes. It takes at most a tenth of the time for that.
func (k *keeper) run() {
	defer close(k.done)
	pause := k.server.savePause
	for {
		select {
		case <-k.stop:
			return
		case <-time.After(pause):
		}
		began := clock.Wall()
		_ = k.save() // which logs it
		pause = max(k.server.savePause, 10*clock.Wall().Sub(began))
	}
}

// save saves the worlds unless nothing has changed. An error is logged when it first occurs.
func (k *keeper) save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, serial := k.server.worlds.Save()
	if k.err == nil && slices.EqualFunc(list, k.saved, worlds.Saved.Equal) {
		return nil
	}
	written := map[*world.State]statefile.Moment{}
	err := k.file.Write(func(w *statefile.Writer) (statefile.Content, error) {
		add := momentWriter{k.server, w, clock.Wall().UTC().Round(0), k.moments, written}
		return k.server.writeWorlds(add, list, serial)
	})
	switch {
	case err == nil:
		k.saved, k.moments = list, written
	case k.err == nil || err.Error() != k.err.Error():
		k.server.log.Error("the worlds are not saved; the file has them as they were before",
			slog.String("file", k.server.stateFile), slog.Any("error", err))
	}
	k.err = err
	return err
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
	k.moments = map[*world.State]statefile.Moment{}
	for m, value := range of.made {
		k.moments[value] = m
	}
	s.log.Info("loaded the worlds", "file", s.stateFile, "worlds", len(list), "saved", content.Saved,
		"scenario", s.worlds.Get(worlds.Default).Peek().Scenario)
	return nil
}
