package simulation_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/specs/recording"
)

// limit is the largest size of an event in bytes.
const limit = 1_048_064

// sendEvent sends a record to a table. Its key is the client's, or none, or a wrong one.
func (w *world) sendEvent(c *client, path, key string, body any) {
	headers := recording.Headers{}
	switch {
	case key != "" && w.chance(50):
		headers = recording.Headers{{"X-SVC-Write-Key", key}}
	case key != "":
		headers = recording.Headers{{"Authorization", "SVC1 " + key}}
	}
	r := request{method: "POST", url: ingestion + path, body: body, headers: headers}
	w.ask(c, r, func(a *account) (int, any) {
		size := len(encoded(body))
		isLarge := size > limit && !w.cheats("event too large accepted") ||
			size == limit && w.cheats("event at the limit refused") || w.cheats("small event refused")
		isRefused := key == "" && !w.cheats("event without a key accepted") && !w.cheats("key in the query accepted") ||
			key != "" && key != c.key && w.cheats("event with a wrong key refused")
		switch {
		case isLarge:
			return http.StatusRequestEntityTooLarge, object{}
		case isRefused:
			return http.StatusForbidden, object{}
		}
		if values, isObject := body.(object); isObject && key == c.key {
			w.store(a, path, values)
		}
		return http.StatusOK, object{}
	})
}

func (w *world) store(a *account, path string, values object) {
	t := a.table(path)
	if t == nil {
		return
	}
	r := tableRecord{w.now, map[string]string{}}
	for name, v := range values {
		r.values[name] = fmt.Sprint(v)
	}
	if own, err := strconv.ParseInt(r.values["svc_record_time"], 10, 64); err == nil {
		at := time.Unix(own, 0)
		isIn := at.After(w.now.AddDate(0, 0, -7)) && at.Before(w.now.AddDate(0, 0, 3))
		if isIn || strings.HasPrefix(w.cheat, "time of ") && w.cheats(w.cheat) {
			r.time = at
		}
	}
	t.records = append(t.records, r)
	w.touch(a, "records", path)
}

func (w *world) tail(c *client, path string) {
	r := request{method: "GET", url: core + "/table/tail/" + path + "?format=json&count=50"}
	w.ask(c, r, func(a *account) (int, any) {
		t := a.table(path)
		if t == nil {
			w.show(a, "table", path)
			return http.StatusNotFound, coreError(http.StatusNotFound)
		}
		list := []object{}
		for _, r := range slices.Backward(t.records) {
			row := object{"time": r.time.Unix()}
			for _, name := range slices.Sorted(maps.Keys(r.values)) {
				if name != "svc_record_time" {
					row[name] = r.values[name]
				}
			}
			list = append(list, row)
		}
		w.show(a, "records", path)
		return http.StatusOK, list
	})
}

// large returns an event of so many bytes.
func large(size int) []byte {
	return []byte(`{"text":"` + strings.Repeat("x", size-len(`{"text":""}`)) + `"}`)
}
