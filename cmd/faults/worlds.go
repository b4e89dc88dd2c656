package main

import (
	"context"
	"fmt"
	"net/http"
)

var manyWorlds = promise{
	name: "worlds",
	says: "A world that is deleted leaves nothing behind, and there are no more worlds than allowed.",
	tried: "10,000 worlds, each with a seed of its own, made, used and deleted by 16 clients; then worlds up to the " +
		"default `--max-worlds` and one more; memory of the process and of health before and after",
	try: tryWorlds,
}

const (
	worldsUsed   = 10_000
	worldsWarm   = 2_000     // until the process is as large as it will be
	worldsGrowth = 100 << 10 // KiB that the process may grow; a tenth of what it would if it forgot no world
)

func tryWorlds(ctx context.Context, t *trial) (string, error) {
	m, err := t.serve(ctx)
	if err != nil {
		return "", err
	}
	seed := t.random.Uint64N(1 << 40)
	use := func(from, n int) error {
		return each(16, n, func(i int) error { return m.useWorld(ctx, fmt.Sprint("s", i), seed+uint64(from+i)) })
	}
	bytes, err := m.memory(ctx)
	if err != nil {
		return "", err
	}
	if err := use(0, worldsWarm); err != nil {
		return "", err
	}
	before, err := m.status("VmRSS")
	if err != nil {
		return "", err
	}
	if err := use(worldsWarm, worldsUsed); err != nil {
		return "", err
	}
	after, err := m.status("VmRSS")
	if err != nil {
		return "", err
	}
	if after > before+worldsGrowth {
		return "", fmt.Errorf("the process grew from %d to %d MiB", before>>10, after>>10)
	}
	if err := m.fillWorlds(ctx, seed); err != nil {
		return "", err
	}
	left, err := m.memory(ctx)
	if err == nil && left != bytes {
		err = fmt.Errorf("health says that worlds take %d bytes, and said %d at the beginning", left, bytes)
	}
	return fmt.Sprintf("%d MiB after %d worlds, %d MiB after %d more; health's bytes are the same to the byte; "+
		"world 10,001 is refused with 409", before>>10, worldsWarm, after>>10, worldsUsed), err
}

// memory returns how many bytes the worlds take, by the mock's health.
func (m *mock) memory(ctx context.Context) (int64, error) {
	health, err := m.health(ctx)
	return health.get("memory.bytes").Int(), err
}

// useWorld makes a world, does a little in it, and deletes it.
func (m *mock) useWorld(ctx context.Context, id string, seed uint64) error {
	body := fmt.Sprintf(`{"id":%q,"seed":%d,"clock":"frozen","mintKeys":true}`, id, seed)
	return m.walk(ctx, step{201, http.MethodPost, control + "/worlds", body},
		step{200, http.MethodPost, "/_worlds/" + id + "/core/v3/database/create/used", ""},
		step{200, http.MethodGet, "/_worlds/" + id + "/workflow/api/pools", ""},
		step{204, http.MethodDelete, control + "/worlds/" + id, ""})
}

// fillWorlds makes as many worlds as there may be, and one more, which is to be refused, and deletes them.
func (m *mock) fillWorlds(ctx context.Context, seed uint64) error {
	health, err := m.health(ctx)
	if err != nil {
		return err
	}
	limit := int(health.get("worlds.limit").Int())
	if limit != 10_000 {
		return fmt.Errorf("the limit of worlds is %d, want 10,000", limit)
	}
	create := func(status, i int) error {
		body := fmt.Sprintf(`{"id":"f%d","scenario":"empty","seed":%d,"clock":"frozen"}`, i, seed+uint64(i))
		_, err := m.want(ctx, status, http.MethodPost, control+"/worlds", body)
		return err
	}
	if err := each(16, limit-1, func(i int) error { return create(http.StatusCreated, i) }); err != nil {
		return err
	}
	if err := create(http.StatusConflict, limit); err != nil {
		return err
	}
	return each(16, limit-1, func(i int) error {
		_, err := m.want(ctx, http.StatusNoContent, http.MethodDelete, fmt.Sprint(control, "/worlds/f", i), "")
		return err
	})
}
