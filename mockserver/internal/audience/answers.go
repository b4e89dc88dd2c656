package audience

import (
	"bytes"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/world"
)

// takeAnswer returns the first scripted answer that fits, and counts it down; nil if none fits.
func takeAnswer(w *world.State, fits func(*world.AudienceAnswer) bool) *world.AudienceAnswer {
	return world.TakeFirst(&w.Audience.Answers, fits, func(a *world.AudienceAnswer) *int { return &a.Times })
}

// takeAnswerTo returns the scripted answer to a query, and how long the query takes.
func takeAnswerTo(w *world.State, q world.SegmentQuery) (*world.AudienceAnswer, time.Duration) {
	answer := takeAnswer(w, func(a *world.AudienceAnswer) bool {
		return a.Segment == "" && a.Audience == q.Audience && (a.Request == nil || bytes.Equal(a.Request, q.Request))
	})
	if answer == nil || answer.Takes == nil {
		return answer, w.Audience.QueryTime
	}
	return answer, *answer.Takes
}

// takeAnswerFor returns the scripted count of a segment that is created.
func takeAnswerFor(w *world.State, audience int64, segment string) *world.AudienceAnswer {
	return takeAnswer(w, func(a *world.AudienceAnswer) bool { return a.Segment == segment && a.Audience == audience })
}

// scripted answers a query as it is scripted. The rows of its job are those of the profiles unless they are scripted,
// too.
func scripted(w *world.State, q world.SegmentQuery, list preview) {
	if q.Answer.Output != nil {
		bridge.AnswerJobBy(w, q.Job, q.Answer.Output)
		return
	}
	bridge.AnswerJob(w, q.Job, list.columns, list.rows, nil)
}

// answer scripts an answer.
func (s *seeding) answer(f fixtures.AudienceAnswer) error {
	answer := world.AudienceAnswer{
		Audience: s.audiences[f.Audience].ID, Segment: f.Segment, Count: f.Count, Preview: f.Preview, Error: f.Error,
		Times: f.Times,
	}
	if f.Takes != nil {
		answer.Takes = new(time.Duration(*f.Takes))
	}
	var err error
	if f.Request != nil {
		if answer.Request, err = canonicalBody(f.Request); err != nil {
			return err
		}
	}
	if f.Columns != nil {
		if answer.Output, err = bridge.Output(f.Columns, f.Rows); err != nil {
			return err
		}
	}
	s.World.Audience.Answers.Add(answer)
	return nil
}
