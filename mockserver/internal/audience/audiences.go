package audience

import (
	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// audienceFromPath returns the audience of the path.
func audienceFromPath(c *op.Call) (world.ParentSegment, error) {
	return op.ByID(c, "audience", "audienceId", c.World.Audience.Audiences.Get)
}

// queriedAudience returns the audience of the path, for those who may query the database of its profiles. That they may
// make segments and activations as well, and others may only list them, is assumed.
func queriedAudience(c *op.Call) (world.ParentSegment, error) {
	audience, err := audienceFromPath(c)
	if err == nil && !bridge.MayQuery(c.World, c.Caller, audience.Database) {
		err = op.Forbidden("the profiles of audience %d are in the database %s, which you may not query",
			audience.ID, audience.Database)
	}
	return audience, err
}

// funnelStage is a stage of a funnel. The mock has none, and so takes any.
type funnelStage struct {
	Funnel int64 `json:"funnel_id"`
	Stage  int64 `json:"stage_id"`
}

// segmentKind returns the kind of a segment or a query: kind decides, realtime is its older form (public), and anything
// else is a batch (assumed).
func segmentKind(kind *int, realtime bool, stage *funnelStage) (int, error) {
	is := world.Batch
	switch {
	case kind != nil:
		is = *kind
	case realtime:
		is = world.Realtime
	}
	if is < world.Batch || is > world.FunnelStage {
		return is, op.Invalid("kind", "want 0 for batch, 1 for realtime, or 2 for a funnel stage, not %d", is)
	}
	if is == world.FunnelStage && (stage == nil || stage.Funnel <= 0 || stage.Stage <= 0) {
		return is, op.Invalid("funnel_stage", "is required for kind 2: want the ids funnel_id and stage_id")
	}
	return is, nil
}
