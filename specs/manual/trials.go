package manual

import (
	"maps"
	"strings"

	"svc.example/understudy/specs"
)

const (
	quickstart = "quickstart"
	whole      = "full-account"
)

// theID stands in a call for what the call before it has answered.
const theID = "$ID"

// trial holds what the example of an operation needs beside what its document says, so that it works against a
// scenario.
type trial struct {
	scenario string            // quickstart unless stated
	values   map[string]string // of parameters
	body     map[string]any    // what is different from the document's example
	rows     string            // of JSON or msgpack, that are compressed to be the body
	before   *step
	note     string
}

// step is a call that comes first, to make or find what the example is about.
type step struct {
	id    string // of the operation
	field string // that is taken out of its answer: the first one of this name, id unless stated
	trial
}

// trialOf looks up an operation by its name, by the collection that its path is in, and by its interface.
func trialOf(op *specs.Operation) trial {
	t := trials[op.Name()]
	values := map[string]string{}
	maps.Copy(values, common[string(op.Interface)])
	if op.Interface == specs.LLM || op.Interface == specs.DWH {
		t.scenario = whole
	}
	if op.Interface == specs.LLM {
		ofCollection(op, &t, values)
	}
	maps.Copy(values, t.values)
	t.values = values
	return t
}

// ofCollection fills in the id of a resource of the LLM interface: of one that the scenario has, or of one that is made
// before, where the scenario has none or the call takes it away.
func ofCollection(op *specs.Operation, t *trial, values map[string]string) {
	_, rest, _ := strings.Cut(op.Path, "/api/")
	collection, _, found := strings.Cut(rest, "/{id}")
	if !found {
		return
	}
	id := resources[collection]
	if maker := makerOf(op, collection); t.before == nil && (id == "" || op.Method == "DELETE") && maker != nil {
		t.before, id = &step{id: maker.ID, trial: trialOf(maker)}, theID
	}
	if op.Method == "PATCH" {
		t.body = map[string]any{"data": map[string]any{"id": id}}
	}
	values["id"] = id
}

// makerOf returns the operation that makes resources of a collection, or nil.
func makerOf(op *specs.Operation, collection string) *specs.Operation {
	for _, other := range op.Document.Operations {
		if other.Method == "POST" && other.Path == "/api/"+collection {
			return other
		}
	}
	return nil
}

// common holds values of parameters that the scenarios have, by interface.
var common = map[string]map[string]string{
	specs.Core:     {"job_id": "3"},
	specs.Workflow: {"id": "1", "attempt_id": "1", "poolId": "3", "poolRuleId": "1"},
}

// resources holds ids in the LLM interface that the scenario full-account has, by their collections.
var resources = map[string]string{
	"projects":        "501cce9d-3fdb-4258-9466-616fec7a75ef",
	"agents":          "5dd290e9-2766-453c-8b7f-77e8f8d2b920",
	"agent_schedules": "a7794402-91f5-4e08-9319-51e92ae58956",
	"chat_interfaces": "d829a422-f29b-4a56-a473-794ce2da0ebb",
	"form_interfaces": "c53504a6-1cd3-42fb-aa9f-a6ea1dda44f5",
	"integrations":    "257ae823-33a9-4c8c-8369-a962abc6a3f5",
	"knowledge_bases": "33794435-4ab4-48e1-93f3-58ebba9a691e",
	"prompts":         "f9806b85-f754-48af-9cea-d7a289c7205a",
	"text_resources":  "a99baaa3-2ee6-4db2-b0e8-2c5019368a81",
	"tool_targets":    "33794435-4ab4-48e1-93f3-58ebba9a691e",
	"actions":         "f7562cc9-829a-46c7-b9cf-5537115b762c",
}

// trials holds the trials of single operations.
var trials = map[string]trial{
	"audience.createActivation": {body: map[string]any{"connectionId": 1}},

	"core.createPolicy":            {body: map[string]any{"policy": map[string]any{"name": "reporting"}}},
	"core.createPolicyGroup":       {body: map[string]any{"name": "Office"}},
	"core.createConnection":        {values: map[string]string{"connection_name": "archive_s3"}},
	"core.validateConnectorConfig": {body: map[string]any{"type": "sftp", "connection_id": nil}},
	"core.createDatabase":          {values: map[string]string{"database_name": "examples"}},
	"core.deleteDatabase":          {values: map[string]string{"database_name": "staging"}},
	"core.deleteTable":             {values: map[string]string{"table_name": "page_views"}},
	"core.createTable":             {values: map[string]string{"table_name": "carts"}},
	"core.createTableWithType":     {values: map[string]string{"table_name": "carts"}},
	"core.renameTable": {values: map[string]string{
		"current_table_name": "page_views",
		"new_table_name":     "views",
	}},
	"core.swapTables": {values: map[string]string{"table_name_1": "orders", "table_name_2": "page_views"}},
	"core.transferTable": {
		note: "No scenario has the account enabled for transfers, which the platform does manually: this answers 403.",
	},
	"core.recoverTable": {
		scenario: "deleted-tables", values: map[string]string{"table_id": "4"},
		body: map[string]any{"database_name": "archive", "table_name": "orders_again"},
	},
	"core.getJobStatusByDomainKey": {values: map[string]string{"domain_key": "order-status-today"}},
	"core.killJob": {
		values: map[string]string{"job_id": theID},
		before: &step{id: "issueJob", field: "job_id"},
	},
	"core.setJobResultExport": {body: map[string]any{"result_connection_id": 1}},
	"core.createSchedule":     {values: map[string]string{"schedule_name": "weekly_revenue"}},

	"core.addUser":    newUser,
	"core.removeUser": {before: &step{id: "addUser", trial: newUser}, values: newUser.values},
	"core.removeApiKey": {
		body:   map[string]any{"apikey": theID},
		before: &step{id: "addApiKey", field: "apikey"},
	},
	"core.importTable":               imported,
	"core.importTableWithId":         imported,
	"core.getBulkImport":             bulkImport,
	"core.deleteBulkImport":          bulkImport,
	"core.listBulkImportParts":       bulkImport,
	"core.uploadBulkImportPart":      {before: bulkImport.before, rows: rowMsgpack},
	"core.deleteBulkImportPart":      uploaded,
	"core.freezeBulkImport":          uploaded,
	"core.unfreezeBulkImport":        frozen,
	"core.performBulkImport":         frozen,
	"core.getBulkImportErrorRecords": performed,
	"core.commitBulkImport": {
		before: performed.before,
		note:   "The job of the previous call must end first, some seconds later: until then this answers 422.",
	},
	"core.getBulkLoad":      bulkLoad,
	"core.updateBulkLoad":   bulkLoad,
	"core.deleteBulkLoad":   bulkLoad,
	"core.listBulkLoadJobs": bulkLoad,
	"core.runBulkLoad":      bulkLoad,

	"workflow.startAttempt": startable,
	"workflow.killAttempt":  {values: map[string]string{"id": theID}, before: &step{id: "startAttempt", trial: startable}},
	"workflow.downloadLogFile": {
		values: map[string]string{"file_name": theID},
		before: &step{id: "listLogFiles", field: "fileName", trial: trial{values: map[string]string{"attempt_id": "1"}}},
	},
	"workflow.createPool":     {body: map[string]any{"name": "example"}},
	"workflow.createPoolRule": {body: map[string]any{"priority": 30}},
	"workflow.updatePool":     {body: map[string]any{"concurrencyLimit": 3}},
	"workflow.deletePool": {
		values: map[string]string{"poolId": theID},
		before: &step{id: "createPool", trial: trial{body: map[string]any{"name": "example"}}},
	},
	"workflow.deleteProject": {values: map[string]string{"id": "2"}},
	"workflow.skipSchedule":  {body: map[string]any{"nextTime": "2099-01-01T00:00:00+09:00"}},
	"workflow.getWorkflow":   {values: map[string]string{"id": "4"}},

	"llm.runActionChatapp": {
		values: map[string]string{"id": "fab9551b-8a64-4558-9510-be36f1f6bef7"},
		note:   "The chat app signs its calls with the secret of the integration: without a signature this answers 401.",
	},
	"llm.createProject": {body: map[string]any{"data": map[string]any{"attributes": map[string]any{"name": "Example"}}}},
	"llm.createChatAttachment": {
		body:   map[string]any{"data": map[string]any{"attributes": map[string]any{"chatId": theID}}},
		before: &step{id: "createChat", trial: trial{scenario: whole}},
	},
	"llm.getWorkflowExecutor": {
		values: map[string]string{"id": theID},
		before: &step{id: "listToolTargets", trial: trial{
			values: map[string]string{"targetType": "workflow_executor"},
			before: &step{id: "createProject", trial: trial{body: map[string]any{"data": map[string]any{
				"attributes": map[string]any{"name": "Example", "useWorkflowExecutor": true},
			}}}},
		}},
	},
}

// rowJSON and rowMsgpack are the same row.
const (
	rowJSON    = `{"time":1768469400,"id":1001}`
	rowMsgpack = "\x82\xa4time\xce\x69\x68\xb3\x98\xa2id\xcd\x03\xe9"
)

var imported = trial{values: map[string]string{"format": "json.gz"}, rows: rowJSON}

var newUser = trial{
	values: map[string]string{"name": "nina"},
	body:   map[string]any{"email": "nina@shop.example"},
}

// The bulk import of the examples, further and further on its way.
var (
	bulkImport = trial{before: &step{id: "createBulkImport"}}
	uploaded   = trial{before: &step{
		id:    "uploadBulkImportPart",
		trial: trial{before: bulkImport.before, rows: rowMsgpack},
	}}
	frozen    = trial{before: &step{id: "freezeBulkImport", trial: uploaded}}
	performed = trial{before: &step{id: "performBulkImport", trial: frozen}}
)

var bulkLoad = trial{before: &step{id: "createBulkLoad"}}

var startable = trial{body: map[string]any{"workflowId": "4", "resume": nil, "retryAttemptName": nil}}
