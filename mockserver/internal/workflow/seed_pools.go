package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// seedPools makes a fixture's pools and rules through the rules of the interface.
func seedPools(w *world.State, pools []fixtures.Pool, rules []fixtures.PoolRule, now time.Time) error {
	seedDefaultPool(w, pools)
	var errs []error
	for i, p := range pools {
		if p.Name == defaultPoolName {
			continue
		}
		err := w.WithID("workflow.pool", int64(p.ID), func() error {
			body := map[string]any{"name": p.Name, "concurrencyLimit": p.ConcurrencyLimit}
			return callHandler(w, createPool, body, now)
		})
		errs = append(errs, fixtures.At(err, "pool "+p.Name, "workflow", "pools", i))
	}
	for i, r := range rules {
		p, ok := poolNamed(w, r.Pool, 0)
		err := fmt.Errorf("pool %q not found", r.Pool)
		if ok {
			body := map[string]any{"priority": r.Priority, "poolId": p.ID, "conditions": r.Conditions}
			err = w.WithID(poolRules.IDs, int64(r.ID), func() error { return callHandler(w, createPoolRule, body, now) })
		}
		errs = append(errs, fixtures.At(err, fmt.Sprintf("pool rule with priority %d", r.Priority), "workflow", "poolRules",
			i))
	}
	return errors.Join(errs...)
}

// seedDefaultPool makes the default pool with the id that a fixture gives it.
func seedDefaultPool(w *world.State, pools []fixtures.Pool) {
	id := int64(1)
	for _, p := range pools {
		if p.ID == 1 && p.Name != defaultPoolName {
			id = 0
		}
	}
	for _, p := range pools {
		if p.Name == defaultPoolName {
			id = int64(p.ID)
		}
	}
	_ = w.WithID("workflow.pool", id, func() error {
		ensureDefaultPool(w)
		return nil
	})
}

func callHandler(w *world.State, handler op.Handler, body any, now time.Time) error {
	text, err := json.Marshal(body)
	if err == nil {
		_, err = handler(&op.Call{World: w, Body: text, Now: now})
	}
	return err
}
