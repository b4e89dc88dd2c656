package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// coreDump is the core data interface's part of a dump. Lengths of time are in nanoseconds, results are msgpack in
// base64.
type coreDump struct {
	Databases    []Database                 `json:"databases"`
	Tables       []Table                    `json:"tables"`
	Records      []recordsDump              `json:"records"`
	Transfers    []transferDump             `json:"transfers"`
	Imports      importsDump                `json:"imports"`
	JobTime      JobTime                    `json:"jobTime"`
	Jobs         []Job                      `json:"jobs"`
	Results      []QueuedResult             `json:"results"`
	Schedules    []JobSchedule              `json:"schedules"`
	BulkImports  []BulkImport               `json:"bulkImports"`
	BulkLoads    []BulkLoad                 `json:"bulkLoads"`
	Connections  []Connection               `json:"connections"`
	Restrictions map[string]map[string]bool `json:"restrictions"`
}

type recordsDump struct {
	Table   int64        `json:"table"`
	Records []recordDump `json:"records"` // oldest first
}

type recordDump struct {
	Time   int64           `json:"time"`
	Values json.RawMessage `json:"values"`
}

// transferDump is a transfer that was made with an idempotent key.
type transferDump struct {
	Database      int64  `json:"database"`
	Table         string `json:"table"`
	Key           string `json:"key"`
	OtherDatabase string `json:"otherDatabase"`
	OtherTable    string `json:"otherTable"`
}

type ingestionDump struct {
	Failures []IngestionFailure `json:"failures"`
	Failed   int64              `json:"failed"`
}

func (x *Core) dump() coreDump {
	d := coreDump{
		Databases: rowsOf(&x.Databases), Tables: rowsOf(&x.Tables), Records: []recordsDump{},
		Transfers: []transferDump{}, Imports: x.Imports.dump(), JobTime: x.JobTime, Jobs: rowsOf(&x.Jobs),
		Results: append([]QueuedResult{}, x.Results...), Schedules: rowsOf(&x.Schedules),
		BulkImports: rowsOf(&x.BulkImports), BulkLoads: rowsOf(&x.BulkLoads), Connections: rowsOf(&x.Connections), Restrictions: x.Restrictions,
	}
	if d.Restrictions == nil {
		d.Restrictions = map[string]map[string]bool{}
	}
	for table, records := range x.Records.All() {
		list := make([]recordDump, 0, records.Len())
		for r := range records.All() {
			list = append(list, recordDump{r.Time, json.RawMessage(r.Values)})
		}
		d.Records = append(d.Records, recordsDump{table, list})
	}
	for key, to := range x.Transfers.All() {
		d.Transfers = append(d.Transfers, transferDump{key.Database, key.Table, key.Key, to.Database, to.Table})
	}
	slices.SortFunc(d.Transfers, func(a, b transferDump) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
	return d
}

func (x *Ingestion) dump() ingestionDump {
	return ingestionDump{Failures: rowsOf(&x.Failures), Failed: x.Failed}
}

func (l *loader) core(d *coreDump) {
	x := &l.w.Core
	x.JobTime, x.Results = d.JobTime, d.Results
	if len(d.Restrictions) > 0 {
		x.Restrictions = d.Restrictions
	}
	rows(l, "core.database", d.Databases, &x.Databases, func(r Database) int64 { return r.ID })
	rows(l, "core.table", d.Tables, &x.Tables, func(r Table) int64 { return r.ID })
	rows(l, "core.job", d.Jobs, &x.Jobs, func(r Job) int64 { return r.ID })
	rows(l, "core.schedule", d.Schedules, &x.Schedules, func(r JobSchedule) int64 { return r.ID })
	rows(l, "core.bulk_import", d.BulkImports, &x.BulkImports, func(r BulkImport) int64 { return r.ID })
	rows(l, "core.bulk_load", d.BulkLoads, &x.BulkLoads, func(r BulkLoad) int64 { return r.ID })
	rows(l, "core.connection", d.Connections, &x.Connections, func(r Connection) int64 { return r.ID })
	// Each of these relies on what those before it have found to be right.
	for _, check := range []func(*coreDump){
		l.databases, l.tables, l.records, l.transfers, l.imports, l.connections, l.jobSchedules, l.jobs, l.results,
		l.bulkImports, l.bulkLoads,
	} {
		if check(d); len(l.errs) > 0 {
			return
		}
	}
}

var dataName = regexp.MustCompile(`^[a-z0-9_]{3,255}$`)

func (l *loader) databases(*coreDump) {
	x := &l.w.Core
	for id, d := range x.Databases.All() {
		if !dataName.MatchString(d.Name) {
			l.wrong("database", id, "name %q: want 3 to 255 lower-case letters, digits and underscores", d.Name)
		}
		if _, known := l.w.Account.Users.Get(d.Owner); !known {
			l.wrong("database", id, "there is no user %d to own it", d.Owner)
		}
		if !d.DeletedAt.IsZero() {
			continue
		}
		if other, twice := x.DatabaseNames.Get(d.Name); twice {
			l.wrong("database", id, "database %d has the name %s already", other, d.Name)
		}
		x.DatabaseNames.Put(d.Name, id)
	}
}

func (l *loader) tables(*coreDump) {
	x := &l.w.Core
	for id, t := range x.Tables.All() {
		if reason := x.wrongTable(t); reason != "" {
			l.wrong("table", id, "%s", reason)
			continue
		}
		if !t.DeletedAt.IsZero() {
			continue
		}
		name := TableName{t.Database, t.Name}
		if other, twice := x.TableNames.Get(name); twice {
			l.wrong("table", id, "table %d of database %d has the name %s already", other, t.Database, t.Name)
		}
		x.TableNames.Put(name, id)
	}
}

func (x *Core) wrongTable(t Table) string {
	d, known := x.Databases.Get(t.Database)
	switch {
	case !known:
		return fmt.Sprintf("there is no database %d", t.Database)
	case t.DeletedAt.IsZero() && !d.DeletedAt.IsZero():
		return fmt.Sprintf("it has no deletedAt, but its database %d has", t.Database)
	case !dataName.MatchString(t.Name):
		return fmt.Sprintf("name %q: want 3 to 255 lower-case letters, digits and underscores", t.Name)
	case t.Count < 0 || t.Bytes < 0 || t.ExpireDays != nil && *t.ExpireDays < 0:
		return "want count, bytes and expireDays of 0 or more"
	}
	columns := map[string]bool{}
	for _, c := range t.Schema {
		if c.Name == "" || c.Type == "" || columns[c.Name] {
			return "want columns with a type and a name of their own each"
		}
		columns[c.Name] = true
	}
	return ""
}

// records are not held against their table's count: what was let go, to stay within the limit, is counted there.
func (l *loader) records(d *coreDump) {
	x := &l.w.Core
	for _, of := range d.Records {
		t, known := x.Tables.Get(of.Table)
		if _, twice := x.Records.Get(of.Table); !known || twice {
			l.wrong("records of table", of.Table, "want one list for a table that there is")
			continue
		}
		if t.Count < int64(len(of.Records)) {
			l.wrong("table", of.Table, "count %d: want %d or more, as it has records", t.Count, len(of.Records))
		}
		var records Records
		for i, r := range of.Records {
			var values map[string]string
			if err := gojson.Unmarshal(r.Values, &values, jsontext.AllowDuplicateNames(false)); err != nil || values == nil {
				l.wrong("records of table", of.Table, "record %d: want values that are an object of texts", i+1)
				break
			}
			records = records.Append(Record{r.Time, string(r.Values)})
		}
		x.Records.Put(of.Table, records)
		x.RecordBytes += records.MemorySize()
	}
}

// transfers may be of a database that is forgotten by now.
func (l *loader) transfers(d *coreDump) {
	x := &l.w.Core
	for _, t := range d.Transfers {
		key := TransferKey{t.Database, t.Table, t.Key}
		if _, twice := x.Transfers.Get(key); twice || t.Key == "" {
			l.wrong("transfer of table", t.Table, "want a key, and one transfer with it")
		}
		x.Transfers.Put(key, Transfer{t.OtherDatabase, t.OtherTable})
	}
}

func (l *loader) connections(*coreDump) {
	x := &l.w.Core
	for id, c := range x.Connections.All() {
		if other, twice := x.ConnectionNames.Get(c.Name); twice {
			l.wrong("connection", id, "connection %d has the name %s already", other, c.Name)
		}
		if c.Name == "" || c.URL == "" {
			l.wrong("connection", id, "want a name and a url")
		}
		x.ConnectionNames.Put(c.Name, id)
	}
}

func (l *loader) ingestion(d *ingestionDump) {
	if len(d.Failures) > maxFailures || d.Failed < int64(len(d.Failures)) {
		l.wrong("ingestion", "failed", "%d: want at least as many as there are failures, and %d of those at most",
			d.Failed, maxFailures)
		return
	}
	l.w.Ingestion.Failed = d.Failed - int64(len(d.Failures))
	for _, f := range d.Failures {
		l.w.Ingestion.Fail(f)
	}
}
