// Makes calls with the clients of oapi-codegen.
package main

import (
	"context"
	"net/http"
	"strconv"

	"clients/calls"
	"clients/gen/oapi-codegen/audience"
	"clients/gen/oapi-codegen/core"
	"clients/gen/oapi-codegen/dwh"
	"clients/gen/oapi-codegen/ingestion"
	"clients/gen/oapi-codegen/llm"
	"clients/gen/oapi-codegen/workflow"

	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	audiences := must(audience.NewClientWithResponses(calls.Base("audience"), audience.WithRequestEditorFn(key)))
	data := must(core.NewClientWithResponses(calls.Base("core"), core.WithRequestEditorFn(key)))
	warehouse := must(dwh.NewClientWithResponses(calls.Base("dwh"), dwh.WithRequestEditorFn(key)))
	events := must(ingestion.NewClientWithResponses(calls.Base("ingestion"), ingestion.WithRequestEditorFn(key)))
	agents := must(llm.NewClientWithResponses(calls.Base("llm"), llm.WithRequestEditorFn(key)))
	workflows := must(workflow.NewClientWithResponses(calls.Base("workflow"), workflow.WithRequestEditorFn(key)))

	event := must(events.IngestEventWithResponse(ctx, "shop", "page_views",
		ingestion.IngestedRecord{AdditionalProperties: map[string]any{"path": "/checkout", "items": 3}}))
	calls.Check("ingestion.ingestEvent", true, event.JSON200 != nil)
	segments := must(audiences.ListSegmentsWithResponse(ctx, 61))
	calls.Check("audience.listSegments", "Returning customers", *(*segments.JSON200)[0].Name)
	connection := must(data.LookupConnectionWithResponse(ctx, &core.LookupConnectionParams{Name: "warehouse_s3"}))
	calls.Check("core.lookupConnection", 1, connection.JSON200.Id)
	activation := must(audiences.CreateActivationWithResponse(ctx, 61, 71, audience.ActivationCreate{
		Name: "generated", ConnectionId: new(int64(connection.JSON200.Id)),
		ConnectorConfig: &map[string]any{"bucket": "exports"}, AllColumns: new(true),
	}))
	calls.Check("audience.createActivation", "200", *activation.JSON200.Code)
	integrations := must(warehouse.ListDwhIntegrationsWithResponse(ctx, &dwh.ListDwhIntegrationsParams{}))
	calls.Check("dwh.listDwhIntegrations", 81, *(*integrations.JSON200.Items)[0].Id)
	integration := must(warehouse.GetDwhIntegrationWithResponse(ctx, 1))
	calls.Check("dwh.getDwhIntegration", http.StatusNotFound, integration.StatusCode())
	database := must(data.CreateDatabaseWithResponse(ctx, "generated"))
	calls.Check("core.createDatabase", "generated", database.JSON200.Database)
	databases := must(data.ListDatabasesWithResponse(ctx, &core.ListDatabasesParams{}))
	calls.Check("core.listDatabases", 4, len(databases.JSON200.Databases))
	query := core.IssueJobRequest_Query{}
	_ = query.FromIssueJobRequestQuery0("select 1")
	job := must(data.IssueJobWithResponse(ctx, "trino", "shop", core.IssueJobRequest{Query: &query}))
	calls.Check("core.issueJob", "shop", job.JSON200.Database)
	status := must(data.GetJobStatusWithResponse(ctx, core.JobId(must(strconv.Atoi(job.JSON200.JobId)))))
	calls.Check("core.getJobStatus", job.JSON200.JobId, status.JSON200.JobId)
	agent := must(agents.GetAgentWithResponse(ctx, uuid.MustParse(calls.Agent)))
	calls.Check("llm.getAgent", "Shop helper", agent.ApplicationvndApiJSON200.Data.Attributes.Name)
	body := llm.ProjectCreate{}
	body.Data.Type = "projects"
	body.Data.Attributes.Name = "generated"
	project := must(agents.CreateProjectWithResponse(ctx, body))
	calls.Check("llm.createProject", "generated", project.ApplicationvndApiJSON201.Data.Attributes.Name)
	pool := must(workflows.CreatePoolWithResponse(ctx, workflow.PoolCreateRequest{Name: "generated", ConcurrencyLimit: 3}))
	calls.Check("workflow.createPool", "generated", pool.JSON201.Name)
	same := must(workflows.GetPoolWithResponse(ctx, workflow.PoolId(must(strconv.Atoi(pool.JSON201.Id)))))
	calls.Check("workflow.getPool", 3, same.JSON200.ConcurrencyLimit)
}

func key(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", calls.Key)
	return nil
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
