package world

import (
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/table"
)

// Catalog is the databases with their tables and records: what queries read.
type Catalog struct {
	Databases     table.Table[Database] // deleted ones, too, while one of their tables can be recovered
	DatabaseNames table.Index[string, int64]
	Tables        table.Table[Table] // deleted ones, too, while they can be recovered
	TableNames    table.Index[TableName, int64]
	Records       table.Table[Records] // by table id
}

// Core is the state of the core data interface.
type Core struct {
	Catalog

	RecordBytes int64 // that all records take
	RecordLimit int64 // how many bytes records may take; 0: no limit
	Transfers   table.Index[TransferKey, Transfer]
	Imports     Imports

	UTC           bool // the list of databases writes UTC in place of an offset
	JobTime       JobTime
	Jobs          table.Table[Job]
	JobKeys       table.Index[string, int64] // by domain key, for ever
	Results       Queue[QueuedResult]
	Schedules     table.Table[JobSchedule]
	ScheduleNames table.Index[string, int64]

	BulkImports     table.Table[BulkImport]
	BulkImportNames table.Index[string, int64]
	BulkLoads       table.Table[BulkLoad]
	BulkLoadNames   table.Index[string, int64]

	Connections     table.Table[Connection]
	ConnectionNames table.Index[string, int64]
	Restrictions    map[string]map[string]bool // by connector and capability; replaced, never changed in place
}

// Database is a named set of tables. DeletedAt is zero while it lives.
type Database struct {
	ID              int64     `json:"id"`
	Name            string    `json:"name"`
	Owner           int64     `json:"owner"` // the user who made it
	DeleteProtected bool      `json:"deleteProtected,omitempty"`
	CreatedAt       time.Time `json:"createdAt"`
	UpdatedAt       time.Time `json:"updatedAt"`
	DeletedAt       time.Time `json:"deletedAt,omitzero"`
}

// TableName is the unique key of a live table.
type TableName struct {
	Database int64
	Name     string
}

// Table is a table of a database. Its rows stand in Core.Records. DeletedAt is zero while it lives.
type Table struct {
	ID              int64         `json:"id"`
	Database        int64         `json:"database"`
	Name            string        `json:"name"`
	Schema          []Column      `json:"schema,omitempty"` // replaced, never changed in place
	ExpireDays      *int          `json:"expireDays,omitempty"`
	IncludeV        bool          `json:"includeV,omitempty"`
	Description     *string       `json:"description,omitempty"`
	DeleteProtected bool          `json:"deleteProtected,omitempty"`
	DetectSchema    bool          `json:"detectSchema,omitempty"`
	IdempotentKey   string        `json:"idempotentKey,omitempty"` // of the call that made it
	Distribution    *Distribution `json:"distribution,omitempty"`
	// records that ever came in, those that were let go to stay within the limit included
	Count            int64     `json:"count"`
	Bytes            int64     `json:"bytes"` // estimated storage size
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
	CounterUpdatedAt time.Time `json:"counterUpdatedAt,omitzero"`
	LastLogAt        int64     `json:"lastLogAt,omitempty"` // greatest record time, Unix seconds; 0: none yet
	DeletedAt        time.Time `json:"deletedAt,omitzero"`
}

// Column is one column of a table's schema. Alias and description may be empty.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Alias       string `json:"alias,omitempty"`
	Description string `json:"description,omitempty"`
}

// Distribution describes the spread of a table over buckets.
type Distribution struct {
	Buckets  int                  `json:"buckets"`
	Function string               `json:"function"`
	Columns  []DistributionColumn `json:"columns"`
}

// DistributionColumn is one column of a distribution, as on the wire.
type DistributionColumn struct {
	Key  string `json:"key"`
	Type string `json:"type"`
	Name string `json:"name"`
}

// TransferKey identifies a transfer of a table to another account that repeats an earlier one, by the table's place and
// an idempotent key.
type TransferKey struct {
	Database   int64
	Table, Key string
}

// Transfer is the place of a transferred table in another account.
type Transfer struct {
	Database, Table string
}

// JobTime holds the durations of jobs by the world's clock, unless a queued result says otherwise.
type JobTime struct {
	Queued  time.Duration `json:"queued"`
	Running time.Duration `json:"running"`
}

// JobStatus is the status of a job, as on the wire.
type JobStatus string

// The statuses. The last three are final.
const (
	JobQueued  JobStatus = "queued"
	JobRunning JobStatus = "running"
	JobSuccess JobStatus = "success"
	JobError   JobStatus = "error"
	JobKilled  JobStatus = "killed"
)

// Finished reports whether the status is final.
func (s JobStatus) Finished() bool { return s == JobSuccess || s == JobError || s == JobKilled }

// Job is a query, an export, or a bulk load.
type Job struct {
	ID              int64           `json:"id"`
	Type            string          `json:"type"`
	Database        string          `json:"database,omitempty"`
	Table           string          `json:"table,omitempty"` // of an export
	Query           string          `json:"query,omitempty"`
	BulkLoad        json.RawMessage `json:"bulkLoad,omitempty"` // the configuration, in place of a query
	DomainKey       string          `json:"domainKey,omitempty"`
	Priority        int             `json:"priority,omitempty"`
	RetryLimit      int             `json:"retryLimit,omitempty"`
	ResultURL       string          `json:"resultURL,omitempty"` // the export target; may hold credentials
	Pool            string          `json:"pool,omitempty"`
	EngineVersion   string          `json:"engineVersion,omitempty"`
	User            int64           `json:"user"`
	Status          JobStatus       `json:"status"`
	CreatedAt       time.Time       `json:"createdAt"`
	StartAt         time.Time       `json:"startAt,omitzero"`
	EndAt           time.Time       `json:"endAt,omitzero"`
	UpdatedAt       time.Time       `json:"updatedAt"`
	StepAt          time.Time       `json:"stepAt,omitzero"` // when its next event is due; zero when none is planned
	RecordsInserted int64           `json:"recordsInserted,omitempty"`
	Output          *Output         `json:"output,omitempty"` // of a success; immutable
	Cmdout          string          `json:"cmdout,omitempty"`
	Stderr          string          `json:"stderr,omitempty"`
	// for the journal: what a test should know of its result
	Note            string         `json:"note,omitempty"`
	Schedule        int64          `json:"schedule,omitempty"`     // that started it
	ScheduledAt     time.Time      `json:"scheduledAt,omitzero"`   // the slot
	ExportTarget    int64          `json:"exportTarget,omitempty"` // of a result export: the job whose result it exports
	LinkedExport    int64          `json:"linkedExport,omitempty"` // the job that exports this one's result
	BulkImport      int64          `json:"bulkImport,omitempty"`   // whose rows it reads
	BulkLoadSession int64          `json:"bulkLoadSession,omitempty"`
	Answer          *QueuedResult  `json:"answer,omitempty"` // what was queued for it; immutable
	Takes           *time.Duration `json:"takes,omitempty"`  // it starts at once and runs so long; nil: the usual times
	Tried           int            `json:"tried,omitempty"`  // how often it was tried again
}

// Output is the result of a job: columns with the engine's type names, and rows as a stream of msgpack arrays, which
// is what every format is made from. Size is the length of that stream compressed, as clients see it.
type Output struct {
	Columns [][2]string `json:"columns"` // name and type
	Rows    []byte      `json:"rows"`    // msgpack
	Count   int64       `json:"count"`
	Size    int64       `json:"size"`
	Dropped bool        `json:"dropped,omitempty"` // the rows are gone, to make room
}

// QueuedResult answers queries ahead of the engine: by exact text, by pattern (RE2, anywhere in the query), by
// domain key, or by the job's id; the first that fits decides. Nil times mean the usual ones.
type QueuedResult struct {
	Query     string         `json:"query,omitempty"`
	Pattern   string         `json:"pattern,omitempty"`
	DomainKey string         `json:"domainKey,omitempty"`
	Job       int64          `json:"job,omitempty"` // its id
	Output    *Output        `json:"output,omitempty"`
	Error     string         `json:"error,omitempty"` // the job fails with this message instead
	Queued    *time.Duration `json:"queued,omitempty"`
	Running   *time.Duration `json:"running,omitempty"`
	Times     int            `json:"times,omitempty"` // how often it applies; 0: always
}

// JobSchedule starts a job whenever its cron text says so; never by itself when that is empty.
type JobSchedule struct {
	ID            int64     `json:"id"`
	Name          string    `json:"name"`
	Cron          string    `json:"cron,omitempty"`
	Timezone      string    `json:"timezone"`
	Delay         int64     `json:"delay,omitempty"` // seconds from a slot to its job
	Database      string    `json:"database,omitempty"`
	Type          string    `json:"type"`
	Query         string    `json:"query"`
	Priority      int       `json:"priority,omitempty"`
	RetryLimit    int       `json:"retryLimit,omitempty"`
	ResultURL     string    `json:"resultURL,omitempty"`
	Pool          string    `json:"pool,omitempty"`
	EngineVersion string    `json:"engineVersion,omitempty"`
	User          int64     `json:"user"`
	ExecutingUser int64     `json:"executingUser,omitempty"`
	CreatedAt     time.Time `json:"createdAt"`
	Slot          time.Time `json:"slot,omitzero"`      // the next one
	PlannedAt     time.Time `json:"plannedAt,omitzero"` // when its job starts: slot and delay
}

// Connection is a named place that results go to. Its URL may hold credentials, which leave the world only in the
// answers that the platform gives.
type Connection struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}
