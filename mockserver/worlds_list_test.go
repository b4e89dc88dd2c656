package mockserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// listed is what the list of worlds, and a world by itself, say alike.
type listed struct {
	ID, Scenario, Fork string
	Before             int64
	Seed               uint64
	Clock              struct {
		Mode string
		Now  time.Time
	}
	Checkpoints   []string
	Faults, Stubs int
	Expires       *time.Time
}

// The list of worlds has what a page of worlds shows, and to ask for it keeps no world in use.
func TestListOfWorlds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mocktest.NewServer(t, mockserver.WithHistory(10), mockserver.WithWorldTTL(time.Hour))
		for range 3 {
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		}
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own","fork":"default","before":2,"seed":7}`).Want(201)
		mocktest.Call(t, s, "PUT", "/_understudy/worlds/own/checkpoints/one", "").Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/own/faults", `{"status":503,"nth":2}`).Want(201)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/own/faults", `{"status":503,"nth":3}`).Want(201)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/own/stubs", `{"operation":"llm.getChat"}`).Want(201)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", inA, "own").Want(200)
		used := time.Now().UTC() //nolint:forbidigo // the time of the bubble
		<-time.After(10 * time.Minute)
		worlds := mocktest.Decode[struct {
			Worlds []struct {
				listed
				Bytes, Exchanges int64
			}
		}](mocktest.Call(t, s, "GET", "/_understudy/worlds", "").Want(200)).Worlds
		if len(worlds) != 2 {
			t.Fatalf("%d worlds", len(worlds))
		}
		own, expires := worlds[1], used.Add(time.Hour)
		want := listed{
			ID: "own", Scenario: "quickstart", Fork: "default", Before: 2, Seed: 7, Clock: own.Clock,
			Checkpoints: []string{"one"}, Faults: 2, Stubs: 1, Expires: &expires,
		}
		if diff := cmp.Diff(want, own.listed); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if own.Clock.Mode != "frozen" || own.Bytes <= 0 || own.Exchanges != 1 {
			t.Errorf("the world has %+v", own)
		}
		if first := worlds[0]; first.Expires != nil || first.Exchanges != 3 || first.Faults != 0 || first.Checkpoints == nil {
			t.Errorf("the world default has %+v", first)
		}
		one := mocktest.Decode[struct {
			listed
			History struct{ Limit, First int64 }
		}](mocktest.Call(t, s, "GET", "/_understudy/worlds/own", "").Want(200))
		*want.Expires = expires.Add(10 * time.Minute) // it is in use
		if diff := cmp.Diff(want, one.listed); diff != "" || one.History.Limit != 10 || one.History.First != 1 {
			t.Errorf("history %+v (-want +got)\n%s", one.History, diff)
		}
	})
}
