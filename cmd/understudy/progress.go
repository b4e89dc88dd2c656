package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"svc.example/understudy/contract"
)

const (
	barDelay     = time.Second            // nothing is drawn for shorter waits
	drawInterval = 100 * time.Millisecond // between two drawings
)

// withProgress returns the source of inputs. If w is a terminal, it shows how much of them has been read.
func withProgress(w io.Writer, found *contract.Inputs) contract.Source {
	if !isWatched(w) {
		return found.Source(nil)
	}
	return func(yield func(contract.Record, error) bool) {
		p := &progress{w: w, total: found.Size(), began: time.Now()}
		defer p.end()
		for record, err := range found.Source(p.count) {
			if err == nil {
				p.exchanges++
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// isWatched reports whether a person reads what is written to w: it is a terminal, but not that of a build server.
func isWatched(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// progress is the bar of one reading. It is used by the goroutine that reads, which looks at the clock once for each
// part of a file.
type progress struct {
	w            io.Writer
	total        int64 // -1 if not known
	began, drawn time.Time
	read         int64
	exchanges    int
	bar          *progressbar.ProgressBar
}

func (p *progress) count(n int) {
	p.read += int64(n)
	now := time.Now()
	if now.Sub(p.began) < barDelay || now.Sub(p.drawn) < drawInterval {
		return
	}
	p.drawn = now
	if p.bar == nil {
		p.bar = newBar(p.w, p.total)
	}
	rate := float64(p.exchanges) / now.Sub(p.began).Seconds()
	p.bar.Describe(fmt.Sprintf("%d exchanges, %.0f/s", p.exchanges, rate))
	_ = p.bar.Set64(p.capped()) // an error of the terminal does not matter
}

// capped returns the number of bytes read, but less than the total: the directory of a zip archive is read in addition
// to its files, and a file may grow meanwhile.
func (p *progress) capped() int64 {
	if p.total < 0 {
		return p.read
	}
	return min(p.read, p.total-1)
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}

func newBar(w io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
		progressbar.OptionClearOnFinish(),
	)
}

// watchTrials returns what builds the scenarios that learn tries, and what ends their display. If w is a terminal, it
// shows how many have been built.
func watchTrials(w io.Writer, build contract.BuildLearned) (watched contract.BuildLearned, end func()) {
	if !isWatched(w) {
		return build, func() {}
	}
	began, n := time.Now(), 0
	return func(learned *contract.Learned) (contract.Subject, error) {
			if n++; time.Since(began) >= barDelay {
				fmt.Fprintf(w, "\r%d scenarios tried in %v, Ctrl+C keeps the best ", n, time.Since(began).Truncate(time.Second))
			}
			return build(learned)
		}, func() {
			if time.Since(began) >= barDelay {
				fmt.Fprint(w, "\r\x1b[K")
			}
		}
}
