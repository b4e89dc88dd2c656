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

	"svc.example/understudy/internal/tools/must"
)

// besideConsole compares the speed of a mock whose journal is open in a console, which judges each exchange, with that
// of one without. The rounds alternate.
func besideConsole(ctx context.Context) (string, string) {
	binary := build(ctx, "understudy")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var servers [2]*server
	var watched *mockProcess
	for i := range servers {
		p := serveProcess(ctx, binary)
		defer p.end()
		servers[i], watched = &server{}, p
		servers[i].connect(ctx, strings.TrimPrefix(p.URL, "http://"))
		defer servers[i].close()
	}
	page := journalPage{url: watched.URL + "/_understudy/console/"}
	ended := make(chan error, 1)
	go func() { ended <- must.Catch(func() { page.show(ctx) }) }()
	var took [2]time.Duration
	const rounds, requests = 40, 3200
	var n atomic.Int64
	for range rounds {
		for i, s := range servers {
			began := time.Now()
			s.play(requests, &n, getPool)
			took[i] += time.Since(began)
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		must.Fatalf("the console: %w", err)
	}
	if page.verdicts == 0 {
		must.Fatalf("the console has shown no verdict")
	}
	each := float64(rounds * requests)
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s; the page was drawn %d times and has shown %d verdicts",
			each/took[1].Seconds(), each/took[0].Seconds(), page.drawn, page.verdicts)
}

// journalPage asks for what a browser asks for that shows a journal as it grows.
type journalPage struct {
	url             string
	drawn, verdicts int
}

// show follows the journal until the context ends.
func (p *journalPage) show(ctx context.Context) {
	page := fetch(ctx, p.url+"w/default/journal")
	_ = page.Close()
	ticks := fetch(ctx, p.url+"api/worlds/default/journal/ticks")
	defer ticks.Close()
	lines := bufio.NewScanner(ticks)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: tick") {
			p.draw(ctx)
		}
	}
	must.Do(ctx.Err())
	must.Do(errors.Join(lines.Err(), errors.New("the stream has ended")))
}

// draw asks for the rows in sight, and for their verdicts.
func (p *journalPage) draw(ctx context.Context) {
	var rows struct {
		Rows []struct {
			Seq int64 `json:"seq"`
		} `json:"rows"`
	}
	fetchJSON(ctx, p.url+"api/worlds/default/journal/rows?order=desc&limit=40", &rows)
	seqs := []string{"1", "2", "3"} // the judge, who takes little time, is far behind the others
	for _, row := range rows.Rows {
		seqs = append(seqs, strconv.FormatInt(row.Seq, 10))
	}
	var answer struct {
		Verdicts map[string]string `json:"verdicts"`
	}
	fetchJSON(ctx, p.url+"w/default/verdicts?seqs="+strings.Join(seqs, ","), &answer)
	p.drawn++
	p.verdicts += len(answer.Verdicts)
}

func fetchJSON(ctx context.Context, url string, into any) {
	body := fetch(ctx, url)
	defer body.Close()
	must.Do(json.NewDecoder(body).Decode(into))
}
