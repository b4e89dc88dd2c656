package probe_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/specs"
)

// listening keeps the methods and addresses of requests to a service.
type listening struct {
	service

	got []string
}

func (l *listening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.got = append(l.got, r.Method+" "+r.URL.RequestURI())
	l.mu.Unlock()
	l.service.ServeHTTP(w, r)
}

func (l *listening) methods() []string {
	var list []string
	for _, line := range l.got {
		list = append(list, line[:strings.IndexByte(line, ' ')])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestBounds(t *testing.T) {
	t.Parallel()
	t.Run("only safe methods unless others are wanted", func(t *testing.T) {
		t.Parallel()
		l := &listening{service: service{items: []item{{ID: 7, Name: "n", State: "open"}}, last: 7}}
		_, summary := probed(t, l, func(o *probe.Options) { o.Unsafe = false })
		if diff := cmp.Diff([]string{"GET"}, l.methods()); diff != "" {
			t.Error(diff)
		}
		if !slices.Contains(l.got, "GET /items/7") {
			t.Errorf("want the item that the list shows, got %v", l.got)
		}
		want := []string{"shop.createItem", "shop.replaceItem", "shop.deleteItem"}
		if diff := cmp.Diff(want, summary.LeftOut); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("deletes what it made, and nothing else", func(t *testing.T) {
		t.Parallel()
		l := &listening{service: service{items: []item{{ID: 1, Name: "n", State: "open"}}, last: 1}}
		_, summary := probed(t, l, nil)
		if len(l.items) != 1 || l.items[0].ID != 1 || summary.Left != 0 {
			t.Errorf("left %+v, and %d by its own count", l.items, summary.Left)
		}
	})
	t.Run("operations and methods", func(t *testing.T) {
		t.Parallel()
		l := &listening{}
		probed(t, l, func(o *probe.Options) { o.Operations, o.Methods = []string{"shop.*Item"}, []string{"POST"} })
		if diff := cmp.Diff([]string{"POST"}, l.methods()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a limit, within which it deletes what it made", func(t *testing.T) {
		t.Parallel()
		l := &listening{}
		_, summary := probed(t, l, func(o *probe.Options) { o.Limit = 12 })
		if len(l.got) > 12 || len(l.items) > 0 || !summary.Unsent {
			t.Errorf("sent %d requests, left %v: %+v", len(l.got), l.items, summary)
		}
	})
	t.Run("a rate", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer stop()
		answered := 0
		summary, err := run(ctx, t, "http://"+serve(t), probe.Options{Unsafe: true, Rate: 20, Answered: func(*probe.Answer) {
			answered++
		}})
		if err != nil || answered == 0 || answered > 5 || !summary.Unsent {
			t.Errorf("%d answers in a fifth of a second, at 20 in one: %+v, %v", answered, summary, err)
		}
	})
	t.Run("the same requests for a seed", func(t *testing.T) {
		t.Parallel()
		var got [3]listening
		for i, seed := range []uint64{1, 1, 2} {
			probed(t, &got[i], func(o *probe.Options) { o.Seed = seed })
		}
		if diff := cmp.Diff(got[0].got, got[1].got); diff != "" {
			t.Error(diff)
		}
		if slices.Equal(got[0].got, got[2].got) {
			t.Error("another seed made the same requests")
		}
	})
}

// An interruption ends a probe without an error, so that what was recorded can be judged.
func TestInterruptedProbe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	answered := 0
	summary, err := run(ctx, t, "http://"+serve(t), probe.Options{Unsafe: true, Key: "k", Answered: func(*probe.Answer) {
		if answered++; answered == 5 {
			stop()
		}
	}})
	if err != nil || answered != 5 || !summary.Unsent {
		t.Errorf("%d answers, %+v, %v", answered, summary, err)
	}
}

func TestWrongProbes(t *testing.T) {
	t.Parallel()
	address := "http://" + serve(t)
	for name, tt := range map[string]struct {
		address string
		options probe.Options
		want    string
	}{
		"nobody listens":    {"http://127.0.0.1:1", probe.Options{}, "shop does not answer"},
		"no such operation": {address, probe.Options{Operations: []string{"shop.listItem"}}, "shop.listItems"},
		"no pattern":        {address, probe.Options{Operations: []string{"["}}, "no operation is called"},
		"no such method":    {address, probe.Options{Methods: []string{"FETCH"}}, `unknown method "FETCH"`},
		"negative":          {address, probe.Options{Limit: -1}, "not negative"},
		"no address":        {"items", probe.Options{}, "address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := run(t.Context(), t, tt.address, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
	_, err := run(t.Context(), t, address, probe.Options{Methods: []string{http.MethodPost}})
	if !errors.Is(err, probe.ErrUnsafe) {
		t.Errorf("POST without Unsafe: %v", err)
	}
}

func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(&service{})
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func run(ctx context.Context, t *testing.T, address string, o probe.Options) (*probe.Summary, error) {
	t.Helper()
	doc, err := specs.LoadFile("shop", "testdata/items.yaml", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	o.Client, o.Targets = http.DefaultClient, map[specs.Interface]string{"shop": address}
	return probe.Run(ctx, []*specs.Document{doc}, o)
}
