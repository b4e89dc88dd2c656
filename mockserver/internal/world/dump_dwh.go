package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// dwhDump is the data warehouse integrations' part of a dump.
type dwhDump struct {
	Integrations []Warehouse        `json:"integrations"`
	Sessions     []bulkloadSessions `json:"sessions"`
}

type bulkloadSessions struct {
	Integration int64             `json:"integration"`
	Sessions    []BulkloadSession `json:"sessions"`
}

func (d *DWH) dump() dwhDump {
	whole := dwhDump{Integrations: rowsOf(&d.Integrations), Sessions: []bulkloadSessions{}}
	for id, sessions := range d.Sessions.All() {
		whole.Sessions = append(whole.Sessions, bulkloadSessions{id, sessions})
	}
	return whole
}

func (l *loader) dwh(d *dwhDump) {
	x := &l.w.DWH
	rows(l, "dwh.integration", d.Integrations, &x.Integrations, func(r Warehouse) int64 { return r.ID })
	l.bulkloadSessions(d.Sessions)
	configs, projects := map[int64]bool{}, map[int64]bool{}
	for id, i := range x.Integrations.All() {
		if reason := l.wrongWarehouse(i); reason != "" {
			l.wrong("integration", id, "%s", reason)
		}
		if configs[i.Config.ID] || projects[i.Project] {
			l.wrong("integration", id, "another one has configuration %d or project %d", i.Config.ID, i.Project)
		}
		configs[i.Config.ID], projects[i.Project] = true, true
		l.w.Reserve("dwh.config", i.Config.ID)
	}
}

var scheduleTypes = []string{"none", "daily", "hourly", "weekly", "monthly", "minutes_interval", "cron"}

// wrongWarehouse says what is wrong with an integration. Its project may have been deleted, but it was there.
func (l *loader) wrongWarehouse(i Warehouse) string {
	_, user := l.w.Account.Users.Get(i.User)
	_, project := l.w.Workflow.Projects.Get(i.Project)
	_, loads := l.w.DWH.Sessions.Get(i.ID)
	_, err := time.LoadLocation(i.Schedule.Timezone)
	c := i.Config
	switch {
	case i.Name == "":
		return "want a name"
	case !user:
		return fmt.Sprintf("its user %d is none of the account", i.User)
	case !project:
		return fmt.Sprintf("there is no project %d", i.Project)
	case !loads:
		return "it has no bulk load sessions: want one for each target table"
	case !slices.Contains(scheduleTypes, i.Schedule.Type) || i.Schedule.Timezone == "" || err != nil:
		return fmt.Sprintf("its schedule is %q in %q: want a type that the interface has, and an IANA time zone",
			i.Schedule.Type, i.Schedule.Timezone)
	case c.ID < 1 || c.ID > maxID || c.Digest == "":
		return fmt.Sprintf("its configuration has the id %d and the digest %q: want both", c.ID, c.Digest)
	case !begins(c.Basic, '{') || !begins(c.Advanced, '[') || !begins(c.Output, '{') ||
		len(c.Filter) > 0 && !begins(c.Filter, '['):
		return "want basic and output as objects, and advanced and filter as lists, as the interface takes them"
	}
	return ""
}

func begins(raw json.RawMessage, with byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte{with})
}

func (l *loader) bulkloadSessions(all []bulkloadSessions) {
	x, taken := &l.w.DWH, map[int64]bool{}
	for _, of := range all {
		if _, ok := x.Integrations.Get(of.Integration); !ok || len(of.Sessions) == 0 {
			l.wrong("bulk load sessions of integration", of.Integration, "want some, of an integration that is there")
		}
		for _, s := range of.Sessions {
			if s.ID < 1 || s.ID > maxID || taken[s.ID] || s.Name == "" || s.Table == "" {
				l.wrong("bulk load session", s.ID, "want an id of its own from 1 to %d, a name and a table", maxID)
				continue
			}
			taken[s.ID] = true
			l.w.Reserve("dwh.session", s.ID)
		}
		x.Sessions.Put(of.Integration, of.Sessions)
	}
}
