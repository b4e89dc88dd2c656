package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Formats of recordings.
const (
	NDJSON = "ndjson"
	HAR    = "har"
)

// Config says what to generate. The same configuration gives the same bytes.
type Config struct {
	Accounts  int
	Exchanges int
	Seed      uint64
	Plant     map[string]int // violations, by the name of their rule
	Format    string         // NDJSON or HAR
	Files     int            // over which the exchanges are distributed, 1 if it is 0
	Shuffle   bool           // whether the exchanges of a file are out of order, each by up to shuffleWindow places
}

func (c *Config) check() error {
	switch {
	case c.Accounts < 1 || c.Accounts > maxAccounts:
		return fmt.Errorf("%d accounts: want 1 to %d", c.Accounts, maxAccounts)
	case c.Exchanges < 1:
		return errors.New("no exchanges: want 1 or more")
	case c.Exchanges > maxLives: // there are no more lives than exchanges
		return fmt.Errorf("%d exchanges: want %d at most", c.Exchanges, maxLives)
	case c.Format != NDJSON && c.Format != HAR:
		return fmt.Errorf("format %q: want %s or %s", c.Format, NDJSON, HAR)
	case c.Files < 0:
		return fmt.Errorf("%d files: want 1 or more", c.Files)
	}
	return nil
}

// Write generates a recording into as many writers as the configuration has files, and returns the places of the
// violations.
func Write(c Config, files ...io.Writer) (*Manifest, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(files) != max(c.Files, 1) {
		return nil, fmt.Errorf("%d files are given: want %d", len(files), max(c.Files, 1))
	}
	all, err := readLives(c.Format)
	if err != nil {
		return nil, err
	}
	plan, err := newPlan(c, all)
	if err != nil {
		return nil, err
	}
	out := newOutputs(c, files)
	for s := newSchedule(c, all, plan); s.written < c.Exchanges; s.written++ {
		if err := out.put(s.next()); err != nil {
			return nil, err
		}
	}
	if err := out.close(); err != nil {
		return nil, err
	}
	return plan.manifest()
}

// Rules lists the rules of which violations can be planted.
func Rules() []string {
	files, _ := texts.ReadDir("violations") // it is embedded
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

// Shuffled exchanges are held back for as long as up to so many others of their file, and some longer.
const shuffleWindow = 1000

// outputs distributes exchanges over files.
type outputs struct {
	Config
	files []*output
}

// output is a file that is being written.
type output struct {
	*bufio.Writer
	isHAR  bool
	number int
	seq    int // of the last exchange, in order of time
	line   int // of the last exchange that was written
	held   []line
	free   [][]byte // buffers of lines that were written
}

// line is an exchange that is to be written, and where its place is noted, if it is.
type line struct {
	bytes   []byte
	seq     int
	planted *planted
	step    int
}

func newOutputs(c Config, files []io.Writer) *outputs {
	o := &outputs{Config: c}
	for i, w := range files {
		o.files = append(o.files, &output{Writer: bufio.NewWriterSize(w, 1<<18), number: i, isHAR: c.Format == HAR})
	}
	return o
}

// put writes an exchange to its file, now or later. Which file that is looks like chance.
func (o *outputs) put(e exchange) error {
	chance := scramble(uint64(e.life)*idsOfLife+uint64(e.number), o.Seed, 3)
	f := o.files[chance%uint64(len(o.files))]
	f.seq++
	e.seq = f.seq
	var buffer []byte
	if n := len(f.free); n > 0 {
		buffer, f.free = f.free[n-1], f.free[:n-1]
	}
	next := line{e.append(buffer[:0], &e.instance), e.seq, e.planted, e.number}
	if e.planted != nil {
		e.planted.places = append(e.planted.places, Place{File: f.number, Seq: int64(e.seq)})
	}
	if !o.Shuffle {
		return f.write(next)
	}
	if f.held = append(f.held, next); len(f.held) < shuffleWindow {
		return nil
	}
	return f.writeHeld(int(chance >> 32 % shuffleWindow))
}

// writeHeld writes one of the lines that are held back.
func (f *output) writeHeld(i int) error {
	last := len(f.held) - 1
	next := f.held[i]
	f.held[i] = f.held[last]
	f.held = f.held[:last]
	return f.write(next)
}

func (f *output) write(l line) error {
	switch {
	case f.isHAR && f.line == 0:
		_, _ = f.WriteString(harBegin)
	case f.isHAR:
		_, _ = f.WriteString(",\n")
	}
	f.line++
	if l.planted != nil {
		l.planted.places[l.step].Line = f.line
	}
	_, err := f.Write(l.bytes)
	f.free = append(f.free, l.bytes)
	return err
}

const (
	harBegin = `{"log":{"version":"1.2","creator":{"name":"understudy","version":"1"},"entries":[` + "\n"
	harEnd   = "\n]}}\n"
)

// close writes what is held back, and the ends of the files.
func (o *outputs) close() error {
	for _, f := range o.files {
		for i := 0; len(f.held) > 0; i++ {
			if err := f.writeHeld(int(scramble(uint64(i), o.Seed) % uint64(len(f.held)))); err != nil {
				return err
			}
		}
		if f.isHAR {
			if f.line == 0 {
				_, _ = f.WriteString(harBegin)
			}
			_, _ = f.WriteString(harEnd)
		}
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return nil
}
