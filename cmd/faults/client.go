package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

const (
	inWorld      = "X-Understudy-World"
	authority    = "SVC1 1/admin"
	control      = "/_understudy"
	defaultWorld = "default"
)

// newClient returns a client of one mock, which keeps its connections and follows no redirect.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, DisableCompression: true,
			IdleConnTimeout: 5 * time.Second, // before the mock closes one that never had a request, after ten
		},
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// get returns a member of a JSON answer.
func (a answer) get(path string) gjson.Result { return gjson.Get(a.body, path) }

// call sends a request as the administrator. Headers come in pairs.
func (m *mock) call(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", authority)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return send(m.client, r)
}

// send sends a request, and reads all of the answer.
func send(client *http.Client, r *http.Request) (answer, error) {
	begin := time.Now()
	response, err := client.Do(r)
	if err != nil {
		return answer{}, fmt.Errorf("%w, after %v", err, time.Since(begin))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text), time.Since(begin)}, err
}

// want is like call, and returns an error unless the answer has the status.
func (m *mock) want(ctx context.Context, status int, method, path, body string) (answer, error) {
	a, err := m.call(ctx, method, path, body)
	if err == nil && a.status != status {
		err = fmt.Errorf("%s %s: %d %.300s, want %d", method, path, a.status, a.body, status)
	}
	return a, err
}

// step is a request of a sequence, with the status that it is to have.
type step struct {
	status             int
	method, path, body string
}

// walk takes steps, one after another.
func (m *mock) walk(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		if _, err := m.want(ctx, s.status, s.method, s.path, s.body); err != nil {
			return err
		}
	}
	return nil
}

// health returns what the mock says of itself.
func (m *mock) health(ctx context.Context) (answer, error) {
	return m.want(ctx, http.StatusOK, http.MethodGet, control+"/health", "")
}

// dial opens a connection of its own.
func (m *mock) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(m.url, "http://"))
}

// times collects how long answers took.
type times struct {
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, d)
}

// quantile returns the time that a share of the answers did not take longer than.
func (t *times) quantile(share float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return 0
	}
	slices.Sort(t.all)
	return t.all[min(int(share*float64(len(t.all))), len(t.all)-1)]
}

func (t *times) worst() time.Duration { return t.quantile(1) }

// watch gets a path again and again, until the function that it returns is called, which says what the answers took.
func (m *mock) watch(ctx context.Context, path string) (done func() (*times, error)) {
	ctx, cancel := context.WithCancel(ctx)
	seen := &times{}
	failed := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			a, err := m.want(ctx, http.StatusOK, http.MethodGet, path, "")
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				failed <- err
				return
			}
			seen.add(a.took)
			time.Sleep(10 * time.Millisecond)
		}
		failed <- nil
	}()
	return func() (*times, error) {
		cancel()
		return seen, <-failed
	}
}

// together calls a function for each number below n, all at the same time, and returns the first error by number.
func together(n int, do func(int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls a function for each number below n, by so many clients at the same time.
func each(clients, n int, do func(int) error) error {
	numbers := make(chan int, n)
	for i := range n {
		numbers <- i
	}
	close(numbers)
	return together(clients, func(int) error {
		for i := range numbers {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// ms rounds a time for people.
func ms(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
