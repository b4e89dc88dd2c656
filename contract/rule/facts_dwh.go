package rule

import (
	"github.com/tidwall/gjson"
)

// DWHFacts hold what exchanges of the data warehouse integration interface say.
type DWHFacts struct {
	Target *targetFact
}

// targetFact is where the data of an integration is to go.
type targetFact struct {
	Database string
	Tables   []string
}

var dwhReaders = map[string]*reader{
	"listDwhIntegrations":     {of: warehouses, does: lists, in: addIntegrations},
	"createDwhIntegration":    {of: warehouses, does: makes, in: addIntegration, to: readTargets},
	"getDwhIntegration":       {of: warehouses, does: reads, in: addIntegration},
	"updateDwhIntegration":    {of: warehouses, does: changes, in: addIntegration},
	"deleteDwhIntegration":    {of: warehouses, does: removes, in: addIntegration},
	"listDwhBulkloadSessions": {of: warehouses, does: reads},
	"getDwhConfigs":           {of: warehouses, does: reads},
	"runDwhWorkflow":          {of: warehouses, does: changes, stirs: tableMakers},
	"listDwhSessionAttempts":  {of: warehouses, does: reads},
}

// addIntegration reads an integration, whose workflow project is gone with it.
func addIntegration(e *Event, body gjson.Result) {
	integration := thing{warehouses, text(body.Get("id"))}
	e.showBorn(integration.kind, integration.id, "", body)
	e.tie(thing{projects, text(body.Get("workflow_project_id"))}, integration)
}

func addIntegrations(e *Event, body gjson.Result) {
	e.Partial = body.Get("pagination.total_pages").Int() > 1
	list("items", addIntegration)(e, body)
}

func readTargets(e *Event, body gjson.Result) {
	e.Target = &targetFact{Database: visible(body.Get("output_config.database"))}
	for _, entry := range body.Get("advanced_configs").Array() {
		if table := visible(entry.Get("target_table")); table != "" {
			e.Target.Tables = append(e.Target.Tables, table)
		}
	}
}
