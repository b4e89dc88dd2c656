// Package traffic generates recordings of any length: accounts of a platform whose clients live through small lives,
// such as that of a pool, with violations of rules planted at places that a manifest lists.
//
// The lives are texts, in the folders lives and violations. They are compiled into templates of lines, so that an
// exchange costs little more than the copy of its bytes.
package traffic

import (
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
