package audience

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Seed makes what a fixture says of audiences, through what serves requests. What it refers to in the core data
// interface is there already. The error names all that cannot be made.
func Seed(w *world.World, f fixtures.Audience) error {
	s := &seeding{w: w}
	w.Audience.QueryTime = time.Duration(f.QueryTime)
	for _, a := range f.Audiences {
		w.Reserve("audience.audience", a.ID)
		w.Audience.Audiences.Put(a.ID, world.ParentSegment{
			ID: a.ID, Name: a.Name, Database: a.Database, Table: a.Table, CreatedAt: w.Now(),
		})
	}
	for _, segment := range f.Segments { // so that no other takes their ids
		w.Reserve("audience.segment", segment.ID)
	}
	for i, segment := range f.Segments {
		s.check(s.segment(segment), "segment "+segment.Name, "segments", i)
	}
	for _, activation := range f.Activations {
		w.Reserve("audience.activation", activation.ID)
	}
	for i, activation := range f.Activations {
		s.check(s.activation(activation), fmt.Sprintf("activation %d of %s", i+1, activation.Segment), "activations", i)
	}
	return errors.Join(s.errs...)
}

// seeding gathers what cannot be made.
type seeding struct {
	w    *world.World
	errs []error
}

func (s *seeding) check(err error, what string, path ...any) {
	s.errs = append(s.errs, fixtures.At(err, what, append([]any{"audience"}, path...)...))
}

func (s *seeding) segment(f fixtures.Segment) error {
	audience := s.audience(f.Audience)
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
		if segment.UpdatedBy, err = s.user(f.UpdatedBy); err != nil {
			return err
		}
	}
	if f.UpdatedAt != "" {
		if segment.UpdatedAt, err = s.past(f.UpdatedAt); err != nil {
			return err
		}
	}
	if segment.UpdatedAt.Before(segment.CreatedAt) {
		return errors.New("updatedAt is before createdAt")
	}
	segment.ID = s.id("audience.segment", f.ID)
	s.w.Audience.Segments.Put(segment.ID, segment)
	return nil
}

func (s *seeding) activation(f fixtures.Activation) error {
	var segment world.Segment
	for _, other := range s.w.Audience.Segments.All() {
		if segment.ID == 0 && other.Name == f.Segment {
			segment = other
		}
	}
	if segment.ID == 0 {
		return errors.New("its segment was not made")
	}
	body := map[string]any{}
	if err := json.Unmarshal(f.Request, &body); err != nil {
		return err
	}
	connection, _ := s.w.Core.ConnectionNames.Get(f.Connection)
	maps.Copy(body, map[string]any{"connectionId": connection})
	call, err := s.call(f.User, f.CreatedAt, body)
	if err != nil {
		return err
	}
	audience, _ := s.w.Audience.Audiences.Get(segment.Audience)
	_, activation, err := newActivation(call, audience, segment)
	if err != nil {
		return err
	}
	activation.ID = s.id("audience.activation", f.ID)
	s.w.Audience.Activations.Put(activation.ID, activation)
	return nil
}

func (s *seeding) id(kind string, given int64) int64 {
	if given != 0 {
		return given
	}
	return s.w.NewID(kind)
}

func (s *seeding) audience(name string) (found world.ParentSegment) {
	for _, a := range s.w.Audience.Audiences.All() {
		if a.Name == name {
			found = a
		}
	}
	return found
}

// call is the request of a user at a time in the past.
func (s *seeding) call(user string, at fixtures.Instant, body map[string]any) (*op.Call, error) {
	when, err := s.past(at)
	if err != nil {
		return nil, err
	}
	id, err := s.user(user)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	return &op.Call{
		World: s.w, Now: when, Body: text, Match: specs.Matched(),
		Caller: world.Caller{User: world.User{ID: id, Role: world.Owner}},
		Header: func(string) string { return "" },
	}, err
}

// past is a moment up to now; now, when it is left open.
func (s *seeding) past(i fixtures.Instant) (time.Time, error) {
	if i == "" {
		return s.w.Now(), nil
	}
	at, err := i.At(s.w.Now())
	if err == nil && at.After(s.w.Now()) {
		err = fmt.Errorf("%s is in the future", at.Format(time.RFC3339))
	}
	return at.UTC(), err
}

// user is who an email, or the name of a sub user, stands for; the first who administers when it is left open.
func (s *seeding) user(ref string) (int64, error) {
	for u := range s.w.Account.LiveUsers() {
		if ref == "" && u.Role.Administers() || ref != "" && (u.Email == ref || u.Email == "" && u.Name == ref) {
			return u.ID, nil
		}
	}
	return 0, errors.New("there is no user " + strconv.Quote(ref))
}
