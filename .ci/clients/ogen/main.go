// Makes calls with the clients of ogen.
package main

import (
	"context"
	"strconv"

	"clients/calls"
	"clients/gen/ogen/audience"
	"clients/gen/ogen/core"
	"clients/gen/ogen/dwh"
	"clients/gen/ogen/llm"
	"clients/gen/ogen/workflow"

	"github.com/go-faster/jx"
	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	audiences := must(audience.NewClient(calls.Base("audience"), audienceKey{}))
	data := must(core.NewClient(calls.Base("core"), coreKey{}))
	warehouse := must(dwh.NewClient(calls.Base("dwh"), dwhKey{}))
	agents := must(llm.NewClient(calls.Base("llm"), llmKey{}))
	workflows := must(workflow.NewClient(calls.Base("workflow"), workflowKey{}))

	connection := as[*core.LookupConnectionOK](data.LookupConnection(ctx, core.LookupConnectionParams{Name: "warehouse_s3"}))
	calls.Check("core.lookupConnection", 1, connection.ID)
	activation := as[*audience.ActivationCreated](audiences.CreateActivation(ctx, &audience.ActivationCreate{
		Name: "generated", ConnectionId: audience.NewOptNilInt64(int64(connection.ID)),
		ConnectorConfig: audience.NewOptNilActivationCreateConnectorConfig(
			audience.ActivationCreateConnectorConfig{"bucket": jx.Raw(`"exports"`)}),
		AllColumns: audience.NewOptBool(true),
	}, audience.CreateActivationParams{AudienceId: 61, SegmentId: 71}))
	calls.Check("audience.createActivation", "200", activation.Code.Value)
	integrations := as[*dwh.DwhIntegrationList](warehouse.ListDwhIntegrations(ctx, dwh.ListDwhIntegrationsParams{}))
	calls.Check("dwh.listDwhIntegrations", 81, integrations.Items[0].ID.Value)
	integration := must(warehouse.GetDwhIntegration(ctx, dwh.GetDwhIntegrationParams{DwhID: 1}))
	_, isMissing := integration.(*dwh.GetDwhIntegrationNotFound)
	calls.Check("dwh.getDwhIntegration", true, isMissing)
	database := as[*core.DatabaseReference](data.CreateDatabase(ctx, core.CreateDatabaseParams{DatabaseName: "generated"}))
	calls.Check("core.createDatabase", "generated", database.Database)
	databases := as[*core.DatabaseList](data.ListDatabases(ctx, core.ListDatabasesParams{}))
	calls.Check("core.listDatabases", 4, len(databases.Databases))
	query := core.NewOptIssueJobRequest(core.IssueJobRequest{
		Query: core.NewOptIssueJobRequestQuery(core.NewStringIssueJobRequestQuery("select 1")),
	})
	job := as[*core.IssuedJob](data.IssueJob(ctx, query, core.IssueJobParams{JobType: "trino", DatabaseName: "shop"}))
	calls.Check("core.issueJob", "shop", job.Database)
	status := as[*core.JobStatusAnswer](data.GetJobStatus(ctx, core.GetJobStatusParams{JobID: must(strconv.Atoi(job.JobID))}))
	calls.Check("core.getJobStatus", job.JobID, status.JobID)
	agent := as[*llm.AgentDocument](agents.GetAgent(ctx, llm.GetAgentParams{ID: uuid.MustParse(calls.Agent)}))
	calls.Check("llm.getAgent", "Shop helper", agent.Data.Attributes.Name.Value)
	pool := as[*workflow.Pool](workflows.CreatePool(ctx, &workflow.PoolCreateRequest{Name: "generated", ConcurrencyLimit: 3}))
	calls.Check("workflow.createPool", "generated", pool.Name)
	same := as[*workflow.Pool](workflows.GetPool(ctx, workflow.GetPoolParams{PoolId: int32(must(strconv.Atoi(pool.ID)))}))
	calls.Check("workflow.getPool", 3, same.ConcurrencyLimit)
}

type (
	audienceKey struct{}
	coreKey     struct{}
	dwhKey      struct{}
	llmKey      struct{}
	workflowKey struct{}
)

func (audienceKey) SVC1(context.Context, audience.OperationName) (audience.SVC1, error) {
	return audience.SVC1{APIKey: calls.Key}, nil
}

func (coreKey) SVC1(context.Context, core.OperationName) (core.SVC1, error) {
	return core.SVC1{APIKey: calls.Key}, nil
}

func (dwhKey) SVC1(context.Context, dwh.OperationName) (dwh.SVC1, error) {
	return dwh.SVC1{APIKey: calls.Key}, nil
}

func (llmKey) SVC1(context.Context, llm.OperationName) (llm.SVC1, error) {
	return llm.SVC1{APIKey: calls.Key}, nil
}

func (workflowKey) SVC1(context.Context, workflow.OperationName) (workflow.SVC1, error) {
	return workflow.SVC1{APIKey: calls.Key}, nil
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// as returns an answer as the one with success.
func as[T, Answer any](answer Answer, err error) T { return any(must(answer, err)).(T) }
