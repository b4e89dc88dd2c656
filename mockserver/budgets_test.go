package mockserver_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// usage returns how many bytes and worlds the server says that there are.
func usage(t *testing.T, s *mockserver.Server) (bytes, worlds int64) {
	t.Helper()
	health := mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(http.StatusOK).Body
	return jsontree.Find(health, "memory.bytes").Int(), jsontree.Find(health, "worlds.count").Int()
}

// newUploads makes what parts can be uploaded into.
func newUploads(t *testing.T, s *mockserver.Server) {
	t.Helper()
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/table/create/shop/sales", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/bulk_import/create/load/shop/sales", "").Want(200)
}

// upload makes a world larger by some bytes.
func upload(t *testing.T, s *mockserver.Server, part, bytes int, world string) mocktest.Answer {
	t.Helper()
	return mocktest.Call(t, s, "PUT", fmt.Sprint("/core/v3/bulk_import/upload_part/load/p", part),
		strings.Repeat("x", bytes),
		inA, world, "Content-Type", "application/octet-stream")
}

func TestResultsMakeRoomForOthers(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("auto"),
		mockserver.WithQueryEngine(largeEngine(2)), mockserver.WithStateLimit(8<<20))
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	for job := 1; job <= 40; job++ {
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/job/result/"+strconv.Itoa(job), "").Want(200)
		if bytes, _ := usage(t, s); bytes > 8<<20+9<<20 { // with a journal
			t.Fatalf("after %d jobs the server takes %d bytes", job, bytes)
		}
	}
	gone := mocktest.Call(t, s, "GET", "/core/v3/job/result/1", "").Want(404).Body
	if want := "it was dropped to free memory"; !strings.Contains(gone, want) {
		t.Errorf("the answer %s does not say %q", gone, want)
	}
	if records := jsontree.Find(mocktest.Call(t, s, "GET", "/core/v3/job/status/1", "").Want(200).Body,
		"num_records"); records.Int() != 2 {
		t.Errorf("the job says that it has %s records", records.Raw())
	}
	state := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
	mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", state).Want(200)
	mocktest.Call(t, s, "GET", "/core/v3/job/result/1", "").Want(404)
	mocktest.Call(t, s, "GET", "/core/v3/job/result/40", "").Want(200)
}

// Results that go make no room when a checkpoint keeps them.
func TestResultsThatACheckpointKeepsMakeNoRoom(t *testing.T) {
	t.Parallel()
	const limit = 8 << 20
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithClock("auto"),
		mockserver.WithStateLimit(limit))
	newUploads(t, s)
	mocktest.Call(t, s, "POST", "/_understudy/jobs/results",
		`{"query":"SELECT 1","columns":[["t","varchar"]],"rows":[["`+strings.Repeat("x", 60<<10)+`"]]}`).Want(201)
	for range 30 {
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).Want(200)
	}
	upload(t, s, 100, 1<<20, "default").Want(200)
	for _, name := range []string{"one", "two"} {
		mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/checkpoints/"+name, "").Want(200)
	}
	refused := 0
	for part := range 20 {
		if upload(t, s, part, 350<<10, "default").Status != 200 {
			refused++
		}
		mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
		if bytes, _ := usage(t, s); bytes > limit {
			t.Fatalf("after %d parts, %d of them refused, the world takes %d bytes", part+1, refused, bytes)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

func TestAWorldThatIsFull(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithStateLimit(4<<20))
	newUploads(t, s)
	made := 0
	for upload(t, s, made, 100<<10, "default").Status == http.StatusOK {
		if made++; made > 100 {
			t.Fatal("the world is never full")
		}
	}
	refused := upload(t, s, made, 100<<10, "default").Want(http.StatusBadRequest).Body
	if made < 20 || !strings.Contains(refused, "--state-limit") {
		t.Fatalf("%d parts were uploaded, and then: %s", made, refused)
	}
	listed := mocktest.Call(t, s, "GET", "/core/v3/bulk_import/list_parts/load", "").Want(200)
	parts := jsontree.Find(listed.Body, "parts.#").Int()
	if parts != int64(made) {
		t.Errorf("there are %d parts, want %d", parts, made)
	}
	queued := mocktest.Call(t, s, "POST", "/_understudy/chats/turns", `{"events":[{"content":"`+strings.Repeat("x", 200<<10)+`"}]}`)
	if queued.Status != 400 || !strings.Contains(queued.Body, "--state-limit") {
		t.Errorf("a turn is answered with %d %s", queued.Status, queued.Body)
	}
	for _, part := range []string{"p0", "p1"} {
		mocktest.Call(t, s, "POST", "/core/v3/bulk_import/delete_part/load/"+part, "").Want(200)
	}
	upload(t, s, 0, 100<<10, "default").Want(200)
}

// What a world's schedules do by themselves fills it as well: the clock then stands still.
func TestAFullWorldsClockStands(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"), mockserver.WithStateLimit(1<<20))
	mocktest.Call(t, s, "POST", "/core/v3/schedule/create/often",
		`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"sample"}`)
	moved := mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"8760h"}`).Want(200).Body
	if jsontree.Find(moved, "complete").Bool() {
		t.Errorf("the clock came as far as it was asked to: %s", moved)
	}
	if bytes, _ := usage(t, s); bytes > 2<<20 {
		t.Errorf("the world takes %d bytes", bytes)
	}
	mocktest.Call(t, s, "GET", "/core/v3/job/list", "").Want(200)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).Want(200)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/reset", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/database/create/more", "").Want(200)
}

// Checkpoints and forks share what is the same, and whatever is deleted is free again.
func TestWhatIsSharedCountsOnce(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	newUploads(t, s)
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	before, _ := usage(t, s)
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"large","fork":"default","mintKeys":true}`).Want(201)
	upload(t, s, 0, 5<<20, "large").Want(200)
	mocktest.Call(t, s, "DELETE", "/_understudy/worlds/large/journal", "").Want(204)
	for n := range 20 {
		mocktest.Call(t, s, "PUT", fmt.Sprintf("/_understudy/worlds/large/checkpoints/c%d", n), "").Want(200)
		upload(t, s, n+1, 100, "large").Want(200)
	}
	for n := range 200 {
		mocktest.Call(t, s, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":"f%d","fork":"large"}`, n)).Want(201)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"own","concurrencyLimit":1}`, inA, fmt.Sprint("f", n)).Want(201)
	}
	if bytes, worlds := usage(t, s); bytes-before < 5<<20 || bytes-before > 14<<20 || worlds != 202 {
		t.Errorf("%d worlds take %d bytes more than the first", worlds, bytes-before)
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/worlds/large", "").Want(204)
	if bytes, _ := usage(t, s); bytes-before < 5<<20 {
		t.Errorf("what forks still hold is no longer counted: %d bytes", bytes-before)
	}
	for n := range 200 {
		mocktest.Call(t, s, "DELETE", fmt.Sprintf("/_understudy/worlds/f%d", n), "").Want(204)
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	if bytes, worlds := usage(t, s); bytes != before || worlds != 1 {
		t.Errorf("%d worlds are left with %d bytes, want %d", worlds, bytes, before)
	}
}

// A world that is full of what its checkpoints remember is freed by deleting them.
func TestCheckpointsGiveRoomBack(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithStateLimit(4<<20))
	newUploads(t, s)
	upload(t, s, 0, 3<<20, "default").Want(200)
	mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/checkpoints/before", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/bulk_import/delete_part/load/p0", "").Want(200)
	refused := upload(t, s, 0, 2<<20, "default").Want(400).Body
	if want := "checkpoint"; !strings.Contains(refused, want) {
		t.Errorf("the answer %s does not speak of a %s", refused, want)
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/worlds/default/checkpoints/before", "").Want(204)
	upload(t, s, 0, 2<<20, "default").Want(200)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/checkpoints/before/restore", "").Want(404)
}

func TestAServerThatIsFull(t *testing.T) {
	t.Parallel()
	const limit = 16 << 20
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithMemoryLimit(limit))
	newUploads(t, s)
	for n := range 40 {
		mocktest.Call(t, s, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":"w%d","fork":"default"}`, n)).Want(201)
		for range 10 { // journals only
			mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"`+strings.Repeat("x", 100<<10)+`"}`, inA, fmt.Sprint("w", n))
		}
		if bytes, _ := usage(t, s); bytes > limit {
			t.Fatalf("%d worlds take %d bytes", n+1, bytes)
		}
	}
	refused := 0
	for n := range 40 {
		a := upload(t, s, 1, 1<<20, fmt.Sprint("w", n))
		if a.Status == http.StatusBadRequest && strings.Contains(a.Body, "--memory-limit") {
			refused++
		}
		if bytes, _ := usage(t, s); bytes > limit {
			t.Fatalf("after %d parts the worlds take %d bytes", n+1, bytes)
		}
	}
	if refused < 20 {
		t.Errorf("%d of 40 MiB were refused", refused)
	}
	mocktest.Call(t, s, "GET", "/core/v3/bulk_import/list", "", inA, "w1").Want(200)
	before, _ := usage(t, s)
	for range 100 {
		a := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"x","scenario":"full-account"}`)
		if a.Status == 201 {
			mocktest.Call(t, s, "DELETE", "/_understudy/worlds/x", "").Want(204)
		}
	}
	if after, _ := usage(t, s); after > before {
		t.Errorf("worlds that are gone, or were never made, take %d bytes", after-before)
	}
	for n := range 40 {
		mocktest.Call(t, s, "DELETE", fmt.Sprint("/_understudy/worlds/w", n), "").Want(204)
	}
	upload(t, s, 1, 1<<20, "default").Want(200)
}

func TestWorldsHaveALimit(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithMaxWorlds(3))
	for n := range 2 {
		mocktest.Call(t, s, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":"w%d"}`, n)).Want(201)
	}
	before, _ := usage(t, s)
	refused := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{}`).Want(409).Body
	if want := "the limit of 3 worlds is reached: delete some"; !strings.Contains(refused, want) {
		t.Errorf("the answer %s does not say %q", refused, want)
	}
	if after, _ := usage(t, s); after != before {
		t.Errorf("a world that was not made takes %d bytes", after-before)
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/worlds/w0", "").Want(204)
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{}`).Want(201)
}

func TestWorldsExpire(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithWorldTTL(time.Nanosecond))
	before, _ := usage(t, s)
	minted := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own","mintKeys":true}`).Want(201).Body
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "", inA, "own").Want(404)
	key := "SVC1 " + jsontree.Find(minted, "keys.admin").Text()
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", key).Want(401)
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	if bytes, worlds := usage(t, s); bytes != before || worlds != 1 {
		t.Errorf("%d worlds take %d bytes, want one and %d", worlds, bytes, before)
	}
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)

	kept := mocktest.NewServer(t, mockserver.WithWorldTTL(time.Hour))
	mocktest.Call(t, kept, "POST", "/_understudy/worlds", `{"id":"own"}`).Want(201)
	mocktest.Call(t, kept, "GET", "/workflow/api/pools", "", inA, "own").Want(200)
}
