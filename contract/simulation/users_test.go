package simulation_test

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

type token struct {
	id, user  int
	client    string
	born      time.Time
	isRevoked bool
}

func (t *token) json(now time.Time) object {
	isExpired := t.born.Add(time.Hour).Before(now)
	return object{
		"id": t.id, "user_id": t.user, "oauth_client_id": t.client, "scopes": []string{"openid"},
		"created_at": instant(t.born),
		"expires_at": instant(t.born.Add(time.Hour)), "expired": isExpired, "refreshable": true,
	}
}

type subUser struct {
	id        int
	parent    int
	name      string
	born      time.Time
	key       *client
	isRemoved bool
}

type job struct {
	id       int
	user     string
	database string
	born     time.Time
}

// addToken gives a user a token, as the login of an application does, which belongs to none of the interfaces.
func (w *world) addToken(a *account, user int, client string) *token {
	t := &token{id: w.next("token", a), user: user, client: client, born: w.birth()}
	a.tokens = append(a.tokens, t)
	return t
}

func (w *world) addSubUser(a *account) *subUser {
	s := &subUser{id: w.next("user", a), parent: a.user(0), born: w.birth()}
	s.name = pick(w, subNames()) + fmt.Sprint(" ", len(a.subUsers)+1)
	s.key = &client{account: a, name: s.name, key: fmt.Sprintf("%s/%ssub%d", a.name[1:], a.name, s.id), sub: s}
	a.subUsers = append(a.subUsers, s)
	w.addToken(a, s.id, "crm")
	return s
}

func subNames() []string {
	return []string{
		"Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea", "Max", "Nia",
		"Oda", "Pia",
	}
}

func (w *world) listTokens(c *client) {
	w.ask(c, request{method: "GET", url: core + "/oauth_token/list"}, func(a *account) (int, any) {
		list := []object{}
		for _, t := range a.tokens {
			if !t.isRevoked {
				list = append(list, t.json(w.now))
			}
		}
		w.showAll(a, "token")
		return http.StatusOK, object{"oauth_tokens": list}
	})
}

func (w *world) removeToken(c *client, id int) {
	w.ask(c, request{method: "POST", url: fmt.Sprintf("%s/oauth_token/remove/%d", core, id)}, func(a *account) (int, any) {
		t := find(a.tokens, func(t *token) bool { return t.id == id })
		if t == nil || t.isRevoked && !w.cheats("revoked token removed again") {
			w.show(a, "token", id)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		for _, other := range a.tokens {
			if other.user != t.user || other.client != t.client || other.isRevoked {
				continue
			}
			if other == t && w.cheat == "removed token listed" || other != t && w.cheat == "sibling of a removed token listed" {
				continue
			}
			other.isRevoked = true
			w.touch(a, "token", other.id)
		}
		return http.StatusOK, object{"oauth_token_id": id}
	})
}

func (w *world) listSubUsers(c *client) {
	w.ask(c, request{method: "GET", url: core + "/sub_user/list"}, func(a *account) (int, any) {
		if c.sub != nil {
			return http.StatusForbidden, coreError(http.StatusForbidden)
		}
		list := []object{}
		for _, s := range a.subUsers {
			if !s.isRemoved || s == w.victim && w.cheats("removed sub user listed") {
				list = append(list, object{
					"id": s.id, "name": s.name, "parent_user_id": s.parent, "created_at": instant(s.born),
					"updated_at": instant(s.born),
				})
			}
		}
		w.showAll(a, "user")
		return http.StatusOK, object{"sub_users": list}
	})
}

func (w *world) removeSubUser(c *client, id int) {
	w.ask(c, request{method: "POST", url: fmt.Sprintf("%s/sub_user/remove/%d", core, id)}, func(a *account) (int, any) {
		s := find(a.subUsers, func(s *subUser) bool { return s.id == id })
		if s == nil || s.isRemoved && !w.cheats("sub user removed again") {
			w.show(a, "user", id)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		s.isRemoved = true
		w.touch(a, "user", id)
		for _, t := range a.tokens {
			if t.user == id && w.cheat != "token of a removed sub user listed" {
				t.isRevoked = true
				w.touch(a, "token", t.id)
			}
		}
		return http.StatusOK, object{"sub_user_id": id}
	})
}

func (w *world) issueJob(c *client, in string) *job {
	var made *job
	body := object{"query": "select 1"}
	w.ask(c, request{method: "POST", url: core + "/job/issue/trino/" + in, body: body}, func(a *account) (int, any) {
		if a.database(in) == nil {
			w.show(a, "database", in)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		made = &job{id: w.next("job", a), user: c.name, database: in, born: w.now}
		a.jobs = append(a.jobs, made)
		id := strconv.Itoa(made.id)
		return http.StatusOK, object{"job": id, "job_id": id, "database": in}
	})
	return made
}

func (w *world) getJob(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/job/show/%d", core, id)}, func(a *account) (int, any) {
		j := find(a.jobs, func(j *job) bool { return j.id == id })
		if j == nil {
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		return http.StatusOK, object{
			"job_id": strconv.Itoa(id), "user_name": j.user, "database": j.database, "query": "select 1", "type": "trino",
			"status": "success", "priority": 0, "retry_limit": 0, "cpu_time": 1, "duration": 1, "num_records": 1,
			"result_size": 10,
			"created_at":  coreTime(j.born), "start_at": coreTime(j.born), "end_at": coreTime(j.born),
			"updated_at":         coreTime(j.born),
			"hive_result_schema": `[["a","int"]]`, "linked_result_export_job_id": nil, "result_export_target_job_id": nil,
			"organization": nil, "result": "", "url": "https://console.svc.example/jobs/1",
			"debug": object{"cmdout": "", "stderr": ""},
		}
	})
}
