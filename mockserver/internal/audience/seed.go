package audience

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
)

// Seed creates the audiences that a fixture describes, through the handlers of requests. What it refers to in the core
// data interface is there already. The error names all that cannot be made.
func Seed(w *world.State, f fixtures.Audience) error {
	s := &seeding{
		Context:   seed.Context{World: w, Part: "audience"},
		audiences: map[string]world.ParentSegment{}, segments: map[string]int64{},
	}
	w.Audience.QueryTime = time.Duration(f.QueryTime)
	for _, a := range f.Audiences {
		id := int64(a.ID)
		s.audiences[a.Name] = world.ParentSegment{
			ID: id, Name: a.Name, Database: a.Database, Table: a.Table, CreatedAt: w.Now(),
		}
		w.Audience.Audiences.Put(id, s.audiences[a.Name])
	}
	for i, segment := range f.Segments {
		s.Check(s.segment(segment), "segment "+segment.Name, "segments", i)
	}
	for i, activation := range f.Activations {
		s.Check(s.activation(activation), fmt.Sprintf("activation %d of %s", i+1, activation.Segment), "activations", i)
	}
	for i, a := range f.Answers {
		s.Check(s.answer(a), fmt.Sprintf("answer %d of %s", i+1, a.Audience), "answers", i)
	}
	for i, q := range f.Queries {
		s.Check(s.query(q), fmt.Sprintf("query %d for %s", i+1, q.Audience), "queries", i)
	}
	return s.Err()
}

type seeding struct {
	seed.Context
	audiences map[string]world.ParentSegment
	segments  map[string]int64 // by name
}

func (s *seeding) segment(f fixtures.Segment) error {
	audience := s.audiences[f.Audience]
	call, err := s.call(f.User, f.CreatedAt, map[string]any{
		"name": f.Name, "kind": f.Kind, "funnel_stage": f.FunnelStage, "description": f.Description,
		"segmentFolderId": f.Folder, "rule": f.Rule, "countPopulation": f.CountPopulation,
	})
	if err != nil {
		return err
	}
	segment, _, err := newSegment(call, audience)
	if err != nil {
		return err
	}
	if f.Population != nil {
		segment.Population = f.Population
	}
	if f.UpdatedBy != "" {
		user, err := s.User(f.UpdatedBy)
		if err != nil {
			return err
		}
		segment.UpdatedBy = user.ID
	}
	if segment.UpdatedAt, err = s.Past(f.UpdatedAt, segment.UpdatedAt); err != nil {
		return err
	}
	if segment.UpdatedAt.Before(segment.CreatedAt) {
		return errors.New("updatedAt is before createdAt")
	}
	segment.ID = s.ID("audience.segment", f.ID)
	if first, known := s.segments[f.Name]; !known || segment.ID < first {
		s.segments[f.Name] = segment.ID
	}
	s.World.Audience.Segments.Put(segment.ID, segment)
	return nil
}

func (s *seeding) activation(f fixtures.Activation) error {
	segment, ok := s.World.Audience.Segments.Get(s.segments[f.Segment])
	if !ok {
		return errors.New("its segment was not created")
	}
	body := map[string]any{}
	if err := json.Unmarshal(f.Request, &body); err != nil {
		return err
	}
	connection, _ := s.World.Core.ConnectionNames.Get(f.Connection)
	maps.Copy(body, map[string]any{"connectionId": connection})
	call, err := s.call(f.User, f.CreatedAt, body)
	if err != nil {
		return err
	}
	audience, _ := s.World.Audience.Audiences.Get(segment.Audience)
	_, activation, err := newActivation(call, audience, segment)
	if err != nil {
		return err
	}
	activation.ID = s.ID("audience.activation", f.ID)
	s.World.Audience.Activations.Put(activation.ID, activation)
	return nil
}

// query asks a query whose end was not shown yet.
func (s *seeding) query(f fixtures.SegmentQuery) error {
	call, err := s.call(f.User, f.CreatedAt, nil)
	if err != nil {
		return err
	}
	call.Body = f.Request
	var body queryRequest
	if err := call.Decode(&body); err != nil {
		return err
	}
	audience := s.audiences[f.Audience]
	reader := newRuleReader(s.World, audience)
	reader.rule(body.Rule)
	if err := errors.Join(body.check(reader.columns), reader.err()); err != nil {
		return err
	}
	usual := s.World.Audience.QueryTime
	s.World.Audience.QueryTime = cmp.Or(time.Duration(f.Takes), usual)
	defer func() { s.World.Audience.QueryTime = usual }()
	return s.World.WithID("core.job", int64(f.Job), func() error {
		q, err := issueQuery(call, audience, body)
		if err == nil && f.ID != "" {
			q.UUID = f.ID
			s.World.Audience.Queries.Put(q.ID, q)
		}
		return err
	})
}

// call returns a request of a user at a time in the past.
func (s *seeding) call(user string, at fixtures.Instant, body map[string]any) (*op.Call, error) {
	when, err := s.Past(at, s.World.Now())
	if err != nil {
		return nil, err
	}
	caller, err := s.User(user)
	return s.Call(when, caller.ID, body), err
}
