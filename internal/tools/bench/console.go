package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// besideConsole compares the speed of a mock whose journal is open in a console, which judges each exchange, with that
// of one without. The rounds alternate.
func besideConsole(ctx context.Context) (string, string, error) {
	binary, remove, err := build(ctx, "understudy")
	if err != nil {
		return "", "", err
	}
	defer remove()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var servers [2]*server
	var watched *mockProcess
	for i := range servers {
		p, err := serveProcess(ctx, binary)
		if err != nil {
			return "", "", err
		}
		defer p.end()
		servers[i], watched = &server{}, p
		if err := servers[i].connect(ctx, strings.TrimPrefix(p.URL, "http://")); err != nil {
			return "", "", err
		}
		defer servers[i].close()
	}
	page := journalPage{url: watched.URL + "/_understudy/console/"}
	ended := make(chan error, 1)
	go func() { ended <- page.show(ctx) }()
	var took [2]time.Duration
	const rounds, requests = 40, 3200
	var n atomic.Int64
	for range rounds {
		for i, s := range servers {
			began := time.Now()
			if err := s.play(requests, &n, getPool); err != nil {
				return "", "", err
			}
			took[i] += time.Since(began)
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return "", "", fmt.Errorf("the console: %w", err)
	}
	if page.verdicts == 0 {
		return "", "", errors.New("the console has shown no verdict")
	}
	each := float64(rounds * requests)
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s; the page was drawn %d times and has shown %d verdicts",
			each/took[1].Seconds(), each/took[0].Seconds(), page.drawn, page.verdicts), nil
}

// journalPage asks for what a browser asks for that shows a journal as it grows.
type journalPage struct {
	url             string
	drawn, verdicts int
}

// show follows the journal until the context ends.
func (p *journalPage) show(ctx context.Context) error {
	page, err := fetch(ctx, p.url+"w/default/journal")
	if err != nil {
		return err
	}
	_ = page.Close()
	ticks, err := fetch(ctx, p.url+"api/worlds/default/journal/ticks")
	if err != nil {
		return err
	}
	defer ticks.Close()
	lines := bufio.NewScanner(ticks)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: tick") {
			if err := p.draw(ctx); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(lines.Err(), errors.New("the stream has ended"))
}

// draw asks for the rows in sight, and for their verdicts.
func (p *journalPage) draw(ctx context.Context) error {
	var rows struct {
		Rows []struct {
			Seq int64 `json:"seq"`
		} `json:"rows"`
	}
	if err := fetchJSON(ctx, p.url+"api/worlds/default/journal/rows?order=desc&limit=40", &rows); err != nil {
		return err
	}
	seqs := []string{"1", "2", "3"} // the judge, who takes little time, is far behind the others
	for _, row := range rows.Rows {
		seqs = append(seqs, strconv.FormatInt(row.Seq, 10))
	}
	var answer struct {
		Verdicts map[string]string `json:"verdicts"`
	}
	err := fetchJSON(ctx, p.url+"w/default/verdicts?seqs="+strings.Join(seqs, ","), &answer)
	p.drawn++
	p.verdicts += len(answer.Verdicts)
	return err
}

func fetchJSON(ctx context.Context, url string, into any) error {
	body, err := fetch(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	return json.NewDecoder(body).Decode(into)
}
