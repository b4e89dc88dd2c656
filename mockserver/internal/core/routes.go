// Package core is the core data interface: its routes, and the seeds of its worlds. Its handlers are in the packages
// below it, which use each other in this order: access (users, keys, policies, rights), data (databases, tables,
// imports, connections), result (what jobs give), jobs (jobs, schedules, queries, exports) and bulkload. All of them
// use wire.
package core

import (
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/bulkload"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface is the core data interface: its routes in the order of its document, and what happens when its events are
// due.
func Interface(engine jobs.Engine) op.Interface {
	return op.Interface{
		Name: "core",
		Routes: []op.Route{
			{Path: "GET /access_control/policies", Rule: access.ListPolicies, For: op.Delegates},
			{Path: "POST /access_control/policies", Rule: access.CreatePolicy, For: op.Administrators},
			{Path: "GET /access_control/policies/export", Rule: access.ExportPolicies},
			{Path: "GET /access_control/policies/{policy_id}", Rule: access.GetPolicy, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}", Rule: access.UpdatePolicy, For: op.Administrators},
			{Path: "DELETE /access_control/policies/{policy_id}", Rule: access.DeletePolicy, For: op.Administrators},
			{Path: "GET /access_control/users/{user_id}/policies", Rule: access.ListUserPolicies},
			{Path: "PATCH /access_control/users/{user_id}/policies", Rule: access.UpdateUserPolicies, For: op.Delegates},
			{Path: "POST /access_control/users/{user_id}/policies/{policy_id}", Rule: access.AttachPolicyToUser, For: op.Delegates},
			{Path: "DELETE /access_control/users/{user_id}/policies/{policy_id}", Rule: access.DetachPolicyFromUser, For: op.Delegates},
			{Path: "POST /access_control/policies/{policy_id}/users/{user_id}", Rule: access.AttachUserToPolicy, For: op.Delegates},
			{Path: "DELETE /access_control/policies/{policy_id}/users/{user_id}", Rule: access.DetachUserFromPolicy, For: op.Delegates},

			{Path: "GET /access_control/policies/{policy_id}/column_permissions", Rule: access.GetColumnPermissions, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/column_permissions", Rule: access.UpdateColumnPermissions, For: op.Administrators},
			{Path: "GET /access_control/policies/{policy_id}/permissions", Rule: access.GetPolicyPermissions, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/permissions", Rule: access.UpdatePolicyPermissions, For: op.Administrators},

			{Path: "GET /access_control/users", Rule: access.ListAccessControlUsers, For: op.Delegates},
			{Path: "GET /access_control/users/{user_id}", Rule: access.GetAccessControlUser},
			{Path: "PATCH /access_control/users/{user_id}/permissions", Rule: access.UpdateUserPermissions, For: op.Administrators},
			{Path: "GET /access_control/users/{user_id}/profile_options", Rule: access.ListProfileOptions},
			{Path: "GET /access_control/users/{user_id}/profile_options/{key}", Rule: access.GetProfileOption},
			{Path: "PUT /access_control/users/{user_id}/profile_options/{key}", Rule: access.SetProfileOption},
			{Path: "DELETE /access_control/users/{user_id}/profile_options/{key}", Rule: access.DeleteProfileOption},
			{Path: "GET /access_control/policies/{policy_id}/users", Rule: access.ListPolicyUsers, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/users", Rule: access.UpdatePolicyUsers, For: op.Delegates},

			{Path: "GET /access_control/policy_groups", Rule: access.ListPolicyGroups, For: op.Delegates},
			{Path: "POST /access_control/policy_groups", Rule: access.CreatePolicyGroup, For: op.Administrators},
			{Path: "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: access.GetPolicyGroup, For: op.Delegates},
			{Path: "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: access.UpdatePolicyGroup, For: op.Administrators},
			{Path: "DELETE /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: access.DeletePolicyGroup, For: op.Administrators},
			{Path: "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies", Rule: access.ListPolicyGroupPolicies, For: op.Delegates},
			{Path: "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies", Rule: access.UpdatePolicyGroupPolicies, For: op.Administrators},

			{Path: "GET /policy_group_tags/{tag}/delegated_admins", Rule: access.ListTagDelegatedAdmins, For: op.Delegates},
			{Path: "PATCH /policy_group_tags/{tag}/delegated_admins", Rule: access.SetTagDelegatedAdmins, For: op.Administrators},
			{Path: "GET /policy_group_tags/{tag}/users", Rule: access.ListTagUsers, For: op.Delegates},
			{Path: "PATCH /policy_group_tags/{tag}/users", Rule: access.SetTagUsers, For: op.Delegates},

			{Path: "GET /result/list", Rule: data.ListConnections},
			{Path: "POST /result/create/{connection_name}", Rule: data.CreateConnection},
			{Path: "POST /result/delete/{connection_name}", Rule: data.DeleteConnection},
			{Path: "GET /connections/lookup", Rule: data.LookupConnection},
			{Path: "POST /connector_configs/validate_with_connection", Rule: data.ValidateConnectorConfig},

			{Path: "GET /database/list", Rule: data.ListDatabases},
			{Path: "GET /database/show/{database_name}", Rule: data.GetDatabase},
			{Path: "POST /database/create/{database_name}", Rule: data.CreateDatabase},
			{Path: "POST /database/delete/{database_name}", Rule: data.DeleteDatabase},

			{Path: "GET /job/list", Rule: jobs.ListJobs},
			{Path: "GET /job/show/{job_id}", Rule: jobs.GetJob, Pending: jobs.JobPending},
			{Path: "GET /job/status/{job_id}", Rule: jobs.GetJobStatus, Pending: jobs.JobPending},
			{Path: "GET /job/status_by_domain_key/{domain_key}", Rule: jobs.GetJobStatusByDomainKey, Pending: jobs.DomainKeyPending},
			{Path: "GET /job/statistics/{job_id}", Rule: jobs.GetJobStatistics, Pending: jobs.JobPending},
			{Path: "POST /job/issue/{job_type}/{database_name}", Rule: engine.IssueJob},
			{Path: "POST /job/kill/{job_id}", Rule: jobs.KillJob},
			{Path: "POST /job/result_export/{job_id}", Rule: jobs.SetJobResultExport},
			{Path: "POST /export/run/{database_name}/{table_name}", Rule: jobs.CreateExportJob},
			{Path: "GET /job/result/{job_id}", Rule: jobs.GetJobResult(&result.Renderings{}), Pending: jobs.JobPending},

			{Path: "GET /oauth_token/list", Rule: access.ListOauthTokens},
			{Path: "POST /oauth_token/remove/{oauth_token_id}", Rule: access.RemoveOauthToken},

			{Path: "GET /schedule/list", Rule: jobs.ListSchedules},
			{Path: "POST /schedule/create/{schedule_name}", Rule: jobs.CreateSchedule},
			{Path: "POST /schedule/delete/{schedule_name}", Rule: jobs.DeleteSchedule},
			{Path: "POST /schedule/update/{schedule_name}", Rule: jobs.UpdateSchedule},
			{Path: "POST /schedule/run/{schedule_name}/{schedule_time}", Rule: jobs.RunSchedule},
			{Path: "GET /schedule/history/{schedule_name}", Rule: jobs.GetScheduleHistory},

			{Path: "GET /sub_user/list", Rule: access.ListSubUsers},
			{Path: "POST /sub_user/remove/{sub_user_id}", Rule: access.RemoveSubUser},

			{Path: "GET /table/list/{database_name}", Rule: data.ListTables},
			{Path: "GET /table/show/{database_name}/{table_name}", Rule: data.GetTable},
			{Path: "POST /table/delete/{database_name}/{table_name}", Rule: data.DeleteTable},
			{Path: "POST /table/create/{database_name}/{table_name}/{table_type}", Rule: data.CreateTableWithType},
			{Path: "POST /table/create/{database_name}/{table_name}", Rule: data.CreateTable},
			{Path: "POST /table/update/{database_name}/{table_name}", Rule: data.UpdateTable},
			{Path: "POST /table/rename/{database_name}/{current_table_name}/{new_table_name}", Rule: data.RenameTable},
			{Path: "POST /table/swap/{database_name}/{table_name_1}/{table_name_2}", Rule: data.SwapTables},
			{Path: "GET /table/tail/{database_name}/{table_name}{path_format}", Rule: data.TailTable},
			{Path: "GET /table/distribution/{database_name}/{table_name}", Rule: data.GetTableDistribution},
			{Path: "POST /table/change_database/{database_name}/{table_name}", Rule: data.ChangeTableDatabase},
			{Path: "POST /table/transfer/{database_name}/{table_name}", Rule: data.TransferTable},
			{Path: "POST /table/append-schema/{database_name}/{table_name}", Rule: data.AppendTableSchema},
			{Path: "POST /table/update-schema/{database_name}/{table_name}", Rule: data.UpdateTableSchema},
			{Path: "GET /table/deleted", Rule: data.ListDeletedTables},
			{Path: "POST /table/recover/{table_id}", Rule: data.RecoverTable},

			{Path: "POST /user/delegated_admin/add/{user_email}", Rule: access.AddDelegatedAdmin, For: op.Administrators},
			{Path: "POST /user/delegated_admin/remove/{user_email}", Rule: access.RemoveDelegatedAdmin, For: op.Administrators},

			{Path: "GET /data_connector_restrictions", Rule: data.GetDataConnectorRestrictions},
		},
		Extras: extraRoutes(),
		Error:  wire.ErrorReply,
		Settle: map[string]func(*world.World, world.Event){
			world.JobEvent:         engine.RunJob,
			world.JobScheduleEvent: jobs.RunDueSchedule,
			world.BulkImportEvent:  data.EndBulkImportCommit,
			world.BulkLoadEvent:    bulkload.RunDueBulkLoad,
		},
	}
}

// extraRoutes returns what clients call around the operations, in the order of their document.
func extraRoutes() []op.Route {
	return []op.Route{
		{Path: "GET /system/server_status", Rule: getServerStatus, For: op.Anyone},

		{Path: "GET /account/show", Rule: access.GetAccount},
		{Path: "GET /account/core_utilization", Rule: jobs.GetAccountCoreUtilization},

		{Path: "GET /user/list", Rule: access.ListUsers},
		{Path: "GET /user/show/{name}", Rule: access.GetUser},
		{Path: "POST /user/authenticate", Rule: access.AuthenticateUser, For: op.Anyone},
		{Path: "POST /user/add/{name}", Rule: access.AddUser, For: op.Administrators},
		{Path: "POST /user/remove/{name}", Rule: access.RemoveUser, For: op.Administrators},
		{Path: "GET /user/apikey/list/{name}", Rule: access.ListAPIKeys},
		{Path: "POST /user/apikey/add/{name}", Rule: access.AddAPIKey},
		{Path: "POST /user/apikey/remove/{name}", Rule: access.RemoveAPIKey},
		{Path: "POST /user/password/change/{name}", Rule: access.ChangePassword, For: op.Administrators},
		{Path: "POST /user/password/change", Rule: access.ChangeMyPassword},

		{Path: "PUT /table/import/{database_name}/{table_name}/{format}", Rule: data.ImportTable, For: op.Importers, MaxBody: data.MaxImport},
		{Path: "PUT /table/import_with_id/{database_name}/{table_name}/{unique_id}/{format}", Rule: data.ImportTable, For: op.Importers, MaxBody: data.MaxImport},

		{Path: "GET /bulk_import/list", Rule: data.ListBulkImports},
		{Path: "POST /bulk_import/create/{name}/{database_name}/{table_name}", Rule: data.CreateBulkImport},
		{Path: "GET /bulk_import/show/{name}", Rule: data.GetBulkImport, Pending: data.BulkImportPending},
		{Path: "POST /bulk_import/delete/{name}", Rule: data.DeleteBulkImport},
		{Path: "GET /bulk_import/list_parts/{name}", Rule: data.ListBulkImportParts},
		{Path: "PUT /bulk_import/upload_part/{name}/{part_name}", Rule: data.UploadBulkImportPart, MaxBody: data.MaxImport},
		{Path: "POST /bulk_import/delete_part/{name}/{part_name}", Rule: data.DeleteBulkImportPart},
		{Path: "POST /bulk_import/freeze/{name}", Rule: data.FreezeBulkImport},
		{Path: "POST /bulk_import/unfreeze/{name}", Rule: data.UnfreezeBulkImport},
		{Path: "POST /bulk_import/perform/{name}", Rule: jobs.PerformBulkImport},
		{Path: "POST /bulk_import/commit/{name}", Rule: jobs.CommitBulkImport},
		{Path: "GET /bulk_import/error_records/{name}", Rule: data.GetBulkImportErrorRecords, Pending: data.BulkImportPending},

		{Path: "GET /bulk_loads", Rule: bulkload.ListBulkLoads},
		{Path: "POST /bulk_loads", Rule: bulkload.CreateBulkLoad},
		{Path: "GET /bulk_loads/{name}", Rule: bulkload.GetBulkLoad},
		{Path: "PUT /bulk_loads/{name}", Rule: bulkload.UpdateBulkLoad},
		{Path: "DELETE /bulk_loads/{name}", Rule: bulkload.DeleteBulkLoad},
		{Path: "GET /bulk_loads/{name}/jobs", Rule: bulkload.ListBulkLoadJobs, Pending: bulkload.Pending},
		{Path: "POST /bulk_loads/{name}/jobs", Rule: bulkload.RunBulkLoad},
		{Path: "POST /bulk_loads/guess", Rule: bulkload.GuessBulkLoad},
		{Path: "POST /bulk_loads/preview", Rule: bulkload.PreviewBulkLoad},
	}
}
