package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type pool struct {
	id, limit int
	name      string
	isDefault bool
}

func (p *pool) json() object {
	return object{"id": strconv.Itoa(p.id), "name": p.name, "concurrencyLimit": p.limit, "default": p.isDefault}
}

func find[T any](list []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return found
}

func (a *account) pool(id int) *pool { return find(a.pools, func(p *pool) bool { return p.id == id }) }

func (a *account) defaultPool() *pool {
	return find(a.pools, func(p *pool) bool { return p.isDefault })
}

// needDefault makes the default pool when it is first needed, and gives it what the others leave.
func (w *world) needDefault(a *account) {
	if a.defaultPool() == nil {
		a.pools = append([]*pool{{id: w.next("pool", a), name: "default", isDefault: true}}, a.pools...)
		w.touch(a, "pool", a.pools[0].id)
	}
	w.balance(a)
}

func (w *world) balance(a *account) {
	sum := 0
	for _, p := range a.pools {
		if !p.isDefault {
			sum += p.limit
		}
	}
	a.defaultPool().limit = a.limit - sum
}

func (a *account) spare() int { return a.defaultPool().limit - 20 }

func (w *world) listPools(c *client) {
	w.ask(c, request{method: "GET", url: workflow + "/pools"}, func(a *account) (int, any) {
		w.needDefault(a)
		list := []object{}
		for _, p := range a.pools {
			o := p.json()
			switch {
			case p.isDefault && w.cheats("no default pool listed"):
				o["default"] = false
			case p.isDefault && w.cheats("wrong sum of limits"):
				o["concurrencyLimit"] = p.limit - 7
			}
			if !p.isDefault && p == a.pools[len(a.pools)-1] && w.cheats("two default pools listed") {
				o["default"] = true
			}
			list = append(list, o)
		}
		w.showAll(a, "pool")
		return http.StatusOK, object{"pools": list}
	})
}

// showAll notes that a whole list shows all things of a kind, those that are gone included.
func (w *world) showAll(a *account, kind string) {
	for key, version := range w.versions {
		if strings.HasPrefix(key, a.name+" "+kind+" ") {
			w.current.shows[key] = version
		}
	}
}

func (w *world) getPool(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/pools/%d", workflow, id)}, func(a *account) (int, any) {
		w.needDefault(a)
		w.show(a, "pool", id)
		if p := a.pool(id); p != nil {
			return http.StatusOK, p.json()
		}
		if w.cheats("deleted pool read") {
			return http.StatusOK, (&pool{id: id, limit: 5, name: "again"}).json()
		}
		return http.StatusNotFound, workflowError(http.StatusNotFound)
	})
}

func (w *world) createPool(c *client) *pool {
	var made *pool
	name, limit := fmt.Sprintf("pool%d", w.IntN(500)), 1+w.IntN(8)
	body := object{"name": name, "concurrencyLimit": limit}
	w.ask(c, request{method: "POST", url: workflow + "/pools", body: body}, func(a *account) (int, any) {
		w.needDefault(a)
		if slices.ContainsFunc(a.pools, func(p *pool) bool { return p.name == name }) {
			return http.StatusConflict, workflowError(http.StatusConflict)
		}
		if limit > a.spare() {
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		made = &pool{id: w.next("pool", a), limit: limit, name: name}
		a.pools = append(a.pools, made)
		w.balance(a)
		w.touch(a, "pool", made.id)
		return http.StatusCreated, made.json()
	})
	return made
}

func (w *world) updatePool(c *client, id int) {
	limit := 1 + w.IntN(9)
	body := object{"concurrencyLimit": limit}
	r := request{method: "PATCH", url: fmt.Sprintf("%s/pools/%d", workflow, id), body: body}
	w.ask(c, r, func(a *account) (int, any) {
		w.needDefault(a)
		p := a.pool(id)
		switch {
		case p == nil:
			w.show(a, "pool", id)
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		case p.isDefault && w.cheats("default pool updated"):
			return http.StatusOK, p.json()
		case p.isDefault, limit-p.limit > a.spare(), limit < a.running(w, id):
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		p.limit = limit
		w.balance(a)
		w.touch(a, "pool", id)
		return http.StatusOK, p.json()
	})
}

// running counts the attempts in a pool that are not finished.
func (a *account) running(w *world, pool int) int {
	n := 0
	for _, t := range a.attempts {
		if t.pool == pool && !t.isDone(w.now) {
			n++
		}
	}
	return n
}

func (w *world) deletePool(c *client, id int) {
	w.ask(c, request{method: "DELETE", url: fmt.Sprintf("%s/pools/%d", workflow, id)}, func(a *account) (int, any) {
		w.needDefault(a)
		p := a.pool(id)
		if p == nil {
			w.show(a, "pool", id)
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		}
		isReferenced := slices.ContainsFunc(a.rules, func(r *poolRule) bool { return r.pool == id })
		isKept := isReferenced && !w.cheats("referenced pool deleted") ||
			a.running(w, id) > 0 && !w.cheats("pool with a running attempt deleted")
		if p.isDefault {
			isKept = !w.cheats("default pool deleted")
		}
		if isKept {
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		if w.cheats("deleted pool listed") {
			return http.StatusOK, p.json()
		}
		a.pools = slices.DeleteFunc(a.pools, func(x *pool) bool { return x == p })
		w.touch(a, "pool", id)
		w.needDefault(a)
		return http.StatusOK, p.json()
	})
}

// somePool returns the id of a pool, that of one that was deleted now and then.
func (w *world) somePool(a *account) int {
	if len(a.pools) == 0 || w.chance(3) {
		return 101 + w.IntN(5)
	}
	return pick(w, a.pools).id
}
