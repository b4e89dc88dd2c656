package audience

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// segmentForm is a Segment.
type segmentForm struct {
	Audience       int64           `json:"audienceId"`
	ID             int64           `json:"id"`
	Name           string          `json:"name"`
	Realtime       bool            `json:"realtime"`
	Kind           int             `json:"kind"`
	Description    *string         `json:"description"`
	Folder         int64           `json:"segmentFolderId,omitzero"`
	Population     *int64          `json:"population"`
	CreatedAt      string          `json:"createdAt"`
	UpdatedAt      string          `json:"updatedAt"`
	CreatedBy      userForm        `json:"createdBy"`
	UpdatedBy      userForm        `json:"updatedBy"`
	Rule           json.RawMessage `json:"rule"`
	IsVisible      bool            `json:"isVisible"`
	NumSyndication int             `json:"numSyndications"`
	ReferencedBy   []referrerForm  `json:"referencedBy"`
}

// referrerForm is a segment whose rule refers to another (the form is assumed).
type referrerForm struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func segmentView(w *world.State, s world.Segment) segmentForm {
	return segmentForm{
		Audience: s.Audience, ID: s.ID, Name: s.Name, Realtime: s.Kind == world.Realtime, Kind: s.Kind,
		Description: s.Description, Folder: s.Folder, Population: s.Population,
		CreatedAt: op.Instant(s.CreatedAt), UpdatedAt: op.Instant(s.UpdatedAt),
		CreatedBy: userView(w, s.CreatedBy), UpdatedBy: userView(w, s.UpdatedBy),
		Rule: s.Rule, IsVisible: true, ReferencedBy: []referrerForm{},
	}
}

var listSegments = op.On(audienceFromPath, func(c *op.Call, audience world.ParentSegment) (op.Reply, error) {
	list, place := []segmentForm{}, map[int64]int{}
	for id, s := range table.All(&c.World.Audience.Segments) {
		if s.Audience == audience.ID {
			place[id] = len(list)
			list = append(list, segmentView(c.World, s))
		}
	}
	for _, a := range table.All(&c.World.Audience.Activations) {
		if i, ok := place[a.Segment]; ok {
			list[i].NumSyndication++
		}
	}
	for _, referrer := range table.All(&c.World.Audience.Segments) {
		for _, id := range referrer.References() {
			if i, ok := place[id]; ok {
				list[i].ReferencedBy = append(list[i].ReferencedBy, referrerForm{referrer.ID, referrer.Name})
			}
		}
	}
	return op.OK(list)
})

// segmentRequest is a SegmentCreate.
type segmentRequest struct {
	AudienceID      *int64         `json:"audienceId"`
	Name            string         `json:"name"`
	Kind            *int           `json:"kind"`
	Realtime        bool           `json:"realtime"`
	FunnelStage     *funnelStage   `json:"funnel_stage"`
	Description     *string        `json:"description"`
	FolderID        int64          `json:"segmentFolderId"`
	Rule            jsontext.Value `json:"rule"`
	CountPopulation bool           `json:"countPopulation"`
}

// segmentCreated is a SegmentCreated.
type segmentCreated struct {
	statusForm
	segmentForm
}

var createSegment = op.On(queriedAudience, func(c *op.Call, audience world.ParentSegment) (op.Reply, error) {
	segment, notes, err := newSegment(c, audience)
	if err != nil {
		return op.Reply{}, err
	}
	segment.ID = c.World.NewID("audience.segment")
	c.World.Audience.Segments.Put(segment.ID, segment)
	return op.Reply{Body: segmentCreated{okStatus(), segmentView(c.World, segment)}, Notes: notes}, nil
})

// newSegment returns the segment that the body asks for, without an id. Names need not differ, and there are any
// folders (both assumed).
func newSegment(c *op.Call, a world.ParentSegment) (s world.Segment, notes []string, err error) {
	var body segmentRequest
	if err := c.Decode(&body); err != nil {
		return s, nil, err
	}
	kind, kindErr := segmentKind(body.Kind, body.Realtime, body.FunnelStage)
	reader := newRuleReader(c.World, a)
	rule := reader.rule(body.Rule)
	if err := errors.Join(body.check(a), kindErr, reader.err()); err != nil {
		return s, nil, err
	}
	s = world.Segment{
		Audience: a.ID, Name: body.Name, Kind: kind, Description: body.Description, Folder: body.FolderID,
		CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: c.Caller.User.ID, UpdatedBy: c.Caller.User.ID,
	}
	if !isEmptyRule(body.Rule) {
		s.Rule = json.RawMessage(bytes.Clone(body.Rule))
	}
	if body.FunnelStage != nil {
		s.FunnelStage, _ = json.Marshal(body.FunnelStage) // numbers cannot fail
	}
	if body.CountPopulation {
		if answer := takeAnswerFor(c.World, a.ID, body.Name); answer != nil {
			s.Population = answer.Count
			return s, nil, nil
		}
		s.Population, notes = reader.population(c, a, rule, kind)
	}
	return s, notes, nil
}

func (r segmentRequest) check(a world.ParentSegment) error {
	var errs []error
	if r.AudienceID != nil && *r.AudienceID != a.ID {
		errs = append(errs, op.Invalid("audienceId", "is %d, but the path has %d; want the same id, or leave it out",
			*r.AudienceID, a.ID))
	}
	if strings.TrimSpace(r.Name) == "" {
		errs = append(errs, op.Invalid("name", "is missing: want the name of the segment"))
	}
	if r.FolderID < 0 {
		errs = append(errs, op.Invalid("segmentFolderId", "want the id of a folder, not %d", r.FolderID))
	}
	return errors.Join(errs...)
}

// population counts the profiles of a new segment at once (assumed). It stays null if nothing can be counted. No
// documented operation counts a segment later.
func (r *ruleReader) population(c *op.Call, a world.ParentSegment, rule node, kind int) (*int64, []string) {
	p, err := profilesOf(c.World, a, c.Now)
	if err != nil {
		return nil, []string{"the population was not counted: " + err.Error()}
	}
	return new(p.evaluate(rule).size()), r.notesOnCount(c.World, a, kind)
}

// notesOnCount returns what a test should know of a count.
func (r *ruleReader) notesOnCount(w *world.State, a world.ParentSegment, kind int) []string {
	if kind == world.FunnelStage {
		r.unsupported("funnel_stage", "the mock does not support funnels")
	}
	return append(r.notes, missingRecordsNote(w, a)...)
}
