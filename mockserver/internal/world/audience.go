package world

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/table"
)

// Audience is the state of the audience interface.
type Audience struct {
	QueryTime   time.Duration // how long a query for a segment takes; 0: none
	Audiences   table.Table[ParentSegment]
	Segments    table.Table[Segment]
	Queries     table.Table[SegmentQuery]
	Activations table.Table[Activation]
	Answers     Queue[AudienceAnswer]
}

// ParentSegment is an audience: the profiles that segments are taken from, which are the records of a table.
type ParentSegment struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Database  string    `json:"database"` // of the core data interface, with
	Table     string    `json:"table"`    // the table of profiles
	CreatedAt time.Time `json:"createdAt"`
}

// Segment is a part of an audience.
type Segment struct {
	ID          int64           `json:"id"`
	Audience    int64           `json:"audience"`
	Name        string          `json:"name"`
	Kind        int             `json:"kind"` // one of the kinds below
	Description *string         `json:"description"`
	Folder      int64           `json:"folder,omitempty"`
	Population  *int64          `json:"population"`
	Rule        json.RawMessage `json:"rule"` // as on the wire; null: everybody
	FunnelStage json.RawMessage `json:"funnelStage,omitempty"`
	CreatedAt   time.Time       `json:"createdAt"`
	UpdatedAt   time.Time       `json:"updatedAt"`
	CreatedBy   int64           `json:"createdBy"`
	UpdatedBy   int64           `json:"updatedBy"`
}

// The kinds of segments.
const (
	Batch       = 0
	Realtime    = 1
	FunnelStage = 2
)

// References returns the segments that the rule names, without those that it names by way of them.
func (s Segment) References() []int64 {
	var ids []int64
	var visit func(condition jsontree.Value)
	visit = func(condition jsontree.Value) {
		id, err := strconv.ParseInt(condition.Get("id").Text(), 10, 64)
		if condition.Get("type").Text() == "Reference" && err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		for inner := range condition.Get("conditions").List {
			visit(inner)
		}
	}
	visit(jsontree.Parse(s.Rule))
	return ids
}

// SegmentQuery is a question how many profiles fit a rule, which a job of the core data interface answers. It exists
// until its result was returned; the job stays.
type SegmentQuery struct {
	ID       int64           `json:"id"`
	UUID     string          `json:"uuid"`
	Audience int64           `json:"audience"`
	User     int64           `json:"user"`
	Request  json.RawMessage `json:"request"` // what was asked, in canonical form
	Job      int64           `json:"job"`
	Found    *Found          `json:"found,omitempty"`  // once the profiles were counted; immutable
	Answer   *AudienceAnswer `json:"answer,omitempty"` // what was scripted for it; immutable
}

// AudienceAnswer answers queries, or counts a segment that is created, in place of the profiles: every query of its
// audience, the one with its request, or the segment with its name.
type AudienceAnswer struct {
	Audience int64           `json:"audience"`
	Request  json.RawMessage `json:"request,omitempty"` // in canonical form
	Segment  string          `json:"segment,omitempty"`
	Count    *int64          `json:"count,omitempty"`
	Preview  *int64          `json:"preview,omitempty"` // default: Count
	Output   *Output         `json:"output,omitempty"`  // of the job; default: that of the profiles
	Error    string          `json:"error,omitempty"`
	Takes    *time.Duration  `json:"takes,omitempty"`
	Times    int             `json:"times,omitempty"` // 0: always
}

// Found holds the number of profiles that fit a rule, and of those in the preview.
type Found struct {
	Count   int64 `json:"count"`
	Preview int64 `json:"preview"`
}

// Activation is a delivery of a segment to a connection, once or again and again.
type Activation struct {
	ID         int64           `json:"id"`
	Audience   int64           `json:"audience"`
	Segment    int64           `json:"segment"`
	Name       string          `json:"name"`
	Connection int64           `json:"connection"`
	Request    json.RawMessage `json:"request"` // the fields that were sent, by their names in the document
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
	CreatedBy  int64           `json:"createdBy"`
}
