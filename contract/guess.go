package contract

import (
	"context"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
)

// Guess holds the base addresses that were not given, as far as the beginning of a recording shows them.
type Guess struct {
	Bases []report.Base `json:"bases"`
	Notes []string      `json:"notes"`
}

// Guess reads the beginning of a recording, and guesses base addresses from it as a Check does that WithGuess allows.
// It returns nothing if guessing is not allowed.
func (c *Checker) Guess(ctx context.Context, source Source) Guess {
	var g Guess
	if !c.config.guess {
		return g
	}
	guessing := c.withGuessedBases(ctx, source, func(j *judge.Judge, notes []string) {
		g.Notes = notes
		for _, b := range j.Addresses().Bases() {
			if b.Guessed {
				g.Bases = append(g.Bases, report.Base{Interface: b.Interface, URL: b.URL, Source: report.Guessed})
			}
		}
	})
	guessing(func(record.Raw, error) bool { return false })
	return g
}

// WithGuessed returns a checker that knows guessed base addresses, and guesses no others. Its reports are those of a
// Check that guesses the same.
func (c *Checker) WithGuessed(g Guess) *Checker {
	var bases []*ownership.Base
	for _, base := range g.Bases {
		if b, ok := c.judge.Addresses().Guessed(base.Interface, base.URL); ok {
			bases = append(bases, b)
		}
	}
	knowing := *c
	knowing.config.guess, knowing.guessed = false, g.Notes
	knowing.judge = c.judge.At(c.judge.Addresses().With(bases))
	return &knowing
}
