// Package core is the core data interface: its routes, and the seeds of its worlds. Its handlers are in the packages
// below it, which use each other in this order: access (users, keys, policies, rights), data (databases, tables,
// imports, connections), result (results of jobs), jobs (jobs, schedules, queries, exports) and bulkload. All of them
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

// Interface returns the core data interface: its routes in the order of its document, and the handlers of its events.
func Interface(engine jobs.Engine) op.Interface {
	return op.Interface{
		Name: "core",
		Routes: []op.Route{
			{Path: "GET /access_control/policies", Handle: access.Policies.List, For: op.Delegates},
			{Path: "POST /access_control/policies", Handle: access.Policies.Create, For: op.Administrators},
			{Path: "GET /access_control/policies/export", Handle: access.ExportPolicies},
			{Path: "GET /access_control/policies/{policy_id}", Handle: access.Policies.Get, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}", Handle: access.Policies.Update, For: op.Administrators},
			{Path: "DELETE /access_control/policies/{policy_id}", Handle: access.DeletePolicy, For: op.Administrators},
			{Path: "GET /access_control/users/{user_id}/policies", Handle: access.ListUserPolicies},
			{Path: "PATCH /access_control/users/{user_id}/policies", Handle: access.UpdateUserPolicies, For: op.Delegates},
			{
				Path: "POST /access_control/users/{user_id}/policies/{policy_id}", Handle: access.AttachPolicy,
				For: op.Delegates,
			},
			{
				Path: "DELETE /access_control/users/{user_id}/policies/{policy_id}", Handle: access.DetachPolicy,
				For: op.Delegates,
			},
			{
				Path: "POST /access_control/policies/{policy_id}/users/{user_id}", Handle: access.AttachPolicy,
				For: op.Delegates,
			},
			{
				Path: "DELETE /access_control/policies/{policy_id}/users/{user_id}", Handle: access.DetachPolicy,
				For: op.Delegates,
			},

			{
				Path: "GET /access_control/policies/{policy_id}/column_permissions", Handle: access.GetColumnPermissions,
				For: op.Delegates,
			},
			{
				Path: "PATCH /access_control/policies/{policy_id}/column_permissions", Handle: access.UpdateColumnPermissions,
				For: op.Administrators,
			},
			{
				Path: "GET /access_control/policies/{policy_id}/permissions", Handle: access.GetPolicyPermissions,
				For: op.Delegates,
			},
			{
				Path: "PATCH /access_control/policies/{policy_id}/permissions", Handle: access.UpdatePolicyPermissions,
				For: op.Administrators,
			},

			{Path: "GET /access_control/users", Handle: access.ListAccessControlUsers, For: op.Delegates},
			{Path: "GET /access_control/users/{user_id}", Handle: access.GetAccessControlUser},
			{
				Path: "PATCH /access_control/users/{user_id}/permissions", Handle: access.UpdateUserPermissions,
				For: op.Administrators,
			},
			{Path: "GET /access_control/users/{user_id}/profile_options", Handle: access.ListProfileOptions},
			{Path: "GET /access_control/users/{user_id}/profile_options/{key}", Handle: access.GetProfileOption},
			{Path: "PUT /access_control/users/{user_id}/profile_options/{key}", Handle: access.SetProfileOption},
			{Path: "DELETE /access_control/users/{user_id}/profile_options/{key}", Handle: access.DeleteProfileOption},
			{Path: "GET /access_control/policies/{policy_id}/users", Handle: access.ListPolicyUsers, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/users", Handle: access.UpdatePolicyUsers, For: op.Delegates},

			{Path: "GET /access_control/policy_groups", Handle: access.PolicyGroups.List, For: op.Delegates},
			{Path: "POST /access_control/policy_groups", Handle: access.PolicyGroups.Create, For: op.Administrators},
			{
				Path: "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}", Handle: access.PolicyGroups.Get,
				For: op.Delegates,
			},
			{
				Path: "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}", Handle: access.PolicyGroups.Update,
				For: op.Administrators,
			},
			{
				Path: "DELETE /access_control/policy_groups/{policy_group_id_or_taggable_name}", Handle: access.DeletePolicyGroup,
				For: op.Administrators,
			},
			{
				Path:   "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies",
				Handle: access.ListPolicyGroupPolicies, For: op.Delegates,
			},
			{
				Path:   "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies",
				Handle: access.UpdatePolicyGroupPolicies, For: op.Administrators,
			},

			{Path: "GET /policy_group_tags/{tag}/delegated_admins", Handle: access.ListTagDelegatedAdmins, For: op.Delegates},
			{
				Path: "PATCH /policy_group_tags/{tag}/delegated_admins", Handle: access.SetTagDelegatedAdmins,
				For: op.Administrators,
			},
			{Path: "GET /policy_group_tags/{tag}/users", Handle: access.ListTagUsers, For: op.Delegates},
			{Path: "PATCH /policy_group_tags/{tag}/users", Handle: access.SetTagUsers, For: op.Delegates},

			{Path: "GET /result/list", Handle: data.ListConnections},
			{Path: "POST /result/create/{connection_name}", Handle: data.CreateConnection},
			{Path: "POST /result/delete/{connection_name}", Handle: data.DeleteConnection},
			{Path: "GET /connections/lookup", Handle: data.LookupConnection},
			{Path: "POST /connector_configs/validate_with_connection", Handle: data.ValidateConnectorConfig},

			{Path: "GET /database/list", Handle: data.ListDatabases},
			{Path: "GET /database/show/{database_name}", Handle: data.GetDatabase},
			{Path: "POST /database/create/{database_name}", Handle: data.CreateDatabase},
			{Path: "POST /database/delete/{database_name}", Handle: data.DeleteDatabase},

			{Path: "GET /job/list", Handle: jobs.ListJobs},
			{Path: "GET /job/show/{job_id}", Handle: jobs.GetJob, Pending: jobs.JobPending},
			{Path: "GET /job/status/{job_id}", Handle: jobs.GetJobStatus, Pending: jobs.JobPending},
			{
				Path: "GET /job/status_by_domain_key/{domain_key}", Handle: jobs.GetJobStatusByDomainKey,
				Pending: jobs.DomainKeyPending,
			},
			{Path: "GET /job/statistics/{job_id}", Handle: jobs.GetJobStatistics, Pending: jobs.JobPending},
			{Path: "POST /job/issue/{job_type}/{database_name}", Handle: engine.IssueJob},
			{Path: "POST /job/kill/{job_id}", Handle: jobs.KillJob},
			{Path: "POST /job/result_export/{job_id}", Handle: jobs.SetJobResultExport},
			{Path: "POST /export/run/{database_name}/{table_name}", Handle: jobs.CreateExportJob},
			{Path: "GET /job/result/{job_id}", Handle: jobs.GetJobResult(&result.Renderings{}), Pending: jobs.JobPending},

			{Path: "GET /oauth_token/list", Handle: access.ListOauthTokens},
			{Path: "POST /oauth_token/remove/{oauth_token_id}", Handle: access.RemoveOauthToken},

			{Path: "GET /schedule/list", Handle: jobs.ListSchedules},
			{Path: "POST /schedule/create/{schedule_name}", Handle: jobs.CreateSchedule},
			{Path: "POST /schedule/delete/{schedule_name}", Handle: jobs.DeleteSchedule},
			{Path: "POST /schedule/update/{schedule_name}", Handle: jobs.UpdateSchedule},
			{Path: "POST /schedule/run/{schedule_name}/{schedule_time}", Handle: jobs.RunSchedule},
			{Path: "GET /schedule/history/{schedule_name}", Handle: jobs.GetScheduleHistory},

			{Path: "GET /sub_user/list", Handle: access.ListSubUsers},
			{Path: "POST /sub_user/remove/{sub_user_id}", Handle: access.RemoveSubUser},

			{Path: "GET /table/list/{database_name}", Handle: data.ListTables},
			{Path: "GET /table/show/{database_name}/{table_name}", Handle: data.GetTable},
			{Path: "POST /table/delete/{database_name}/{table_name}", Handle: data.DeleteTable},
			{Path: "POST /table/create/{database_name}/{table_name}/{table_type}", Handle: data.CreateTableWithType},
			{Path: "POST /table/create/{database_name}/{table_name}", Handle: data.CreateTable},
			{Path: "POST /table/update/{database_name}/{table_name}", Handle: data.UpdateTable},
			{Path: "POST /table/rename/{database_name}/{current_table_name}/{new_table_name}", Handle: data.RenameTable},
			{Path: "POST /table/swap/{database_name}/{table_name_1}/{table_name_2}", Handle: data.SwapTables},
			{Path: "GET /table/tail/{database_name}/{table_name}{path_format}", Handle: data.TailTable},
			{Path: "GET /table/distribution/{database_name}/{table_name}", Handle: data.GetTableDistribution},
			{Path: "POST /table/change_database/{database_name}/{table_name}", Handle: data.ChangeTableDatabase},
			{Path: "POST /table/transfer/{database_name}/{table_name}", Handle: data.TransferTable},
			{Path: "POST /table/append-schema/{database_name}/{table_name}", Handle: data.AppendTableSchema},
			{Path: "POST /table/update-schema/{database_name}/{table_name}", Handle: data.UpdateTableSchema},
			{Path: "GET /table/deleted", Handle: data.ListDeletedTables},
			{Path: "POST /table/recover/{table_id}", Handle: data.RecoverTable},

			{Path: "POST /user/delegated_admin/add/{user_email}", Handle: access.AddDelegatedAdmin, For: op.Administrators},
			{
				Path: "POST /user/delegated_admin/remove/{user_email}", Handle: access.RemoveDelegatedAdmin,
				For: op.Administrators,
			},

			{Path: "GET /data_connector_restrictions", Handle: data.GetDataConnectorRestrictions},
		},
		Extras: extraRoutes(),
		Error:  wire.ErrorReply,
		Settle: map[string]func(*world.State, world.DueEvent){
			world.JobEvent:         engine.RunJob,
			world.JobScheduleEvent: jobs.RunDueSchedule,
			world.BulkImportEvent:  data.EndBulkImportCommit,
			world.BulkLoadEvent:    bulkload.RunDueBulkLoad,
		},
	}
}

// extraRoutes returns the routes that clients call besides the operations, in the order of their document.
func extraRoutes() []op.Route {
	return []op.Route{
		{Path: "GET /system/server_status", Handle: getServerStatus, For: op.Anyone},

		{Path: "GET /account/show", Handle: access.GetAccount},
		{Path: "GET /account/core_utilization", Handle: jobs.GetAccountCoreUtilization},

		{Path: "GET /user/list", Handle: access.ListUsers},
		{Path: "GET /user/show/{name}", Handle: access.GetUser},
		{Path: "POST /user/authenticate", Handle: access.AuthenticateUser, For: op.Anyone},
		{Path: "POST /user/add/{name}", Handle: access.AddUser, For: op.Administrators},
		{Path: "POST /user/remove/{name}", Handle: access.RemoveUser, For: op.Administrators},
		{Path: "GET /user/apikey/list/{name}", Handle: access.ListAPIKeys},
		{Path: "POST /user/apikey/add/{name}", Handle: access.AddAPIKey},
		{Path: "POST /user/apikey/remove/{name}", Handle: access.RemoveAPIKey},
		{Path: "POST /user/password/change/{name}", Handle: access.ChangePassword, For: op.Administrators},
		{Path: "POST /user/password/change", Handle: access.ChangeMyPassword},

		{
			Path: "PUT /table/import/{database_name}/{table_name}/{format}", Handle: data.ImportTable, For: op.Importers,
			MaxBody: data.MaxImport,
		},
		{
			Path: "PUT /table/import_with_id/{database_name}/{table_name}/{unique_id}/{format}", Handle: data.ImportTable,
			For: op.Importers, MaxBody: data.MaxImport,
		},

		{Path: "GET /bulk_import/list", Handle: data.ListBulkImports},
		{Path: "POST /bulk_import/create/{name}/{database_name}/{table_name}", Handle: data.CreateBulkImport},
		{Path: "GET /bulk_import/show/{name}", Handle: data.GetBulkImport, Pending: data.BulkImportPending},
		{Path: "POST /bulk_import/delete/{name}", Handle: data.DeleteBulkImport},
		{Path: "GET /bulk_import/list_parts/{name}", Handle: data.ListBulkImportParts},
		{Path: "PUT /bulk_import/upload_part/{name}/{part_name}", Handle: data.UploadBulkImportPart, MaxBody: data.MaxImport},
		{Path: "POST /bulk_import/delete_part/{name}/{part_name}", Handle: data.DeleteBulkImportPart},
		{Path: "POST /bulk_import/freeze/{name}", Handle: data.FreezeBulkImport},
		{Path: "POST /bulk_import/unfreeze/{name}", Handle: data.UnfreezeBulkImport},
		{Path: "POST /bulk_import/perform/{name}", Handle: jobs.PerformBulkImport},
		{Path: "POST /bulk_import/commit/{name}", Handle: jobs.CommitBulkImport},
		{
			Path: "GET /bulk_import/error_records/{name}", Handle: data.GetBulkImportErrorRecords,
			Pending: data.BulkImportPending,
		},

		{Path: "GET /bulk_loads", Handle: bulkload.ListBulkLoads},
		{Path: "POST /bulk_loads", Handle: bulkload.CreateBulkLoad},
		{Path: "GET /bulk_loads/{name}", Handle: bulkload.GetBulkLoad},
		{Path: "PUT /bulk_loads/{name}", Handle: bulkload.UpdateBulkLoad},
		{Path: "DELETE /bulk_loads/{name}", Handle: bulkload.DeleteBulkLoad},
		{Path: "GET /bulk_loads/{name}/jobs", Handle: bulkload.ListBulkLoadJobs, Pending: bulkload.Pending},
		{Path: "POST /bulk_loads/{name}/jobs", Handle: bulkload.RunBulkLoad},
		{Path: "POST /bulk_loads/guess", Handle: bulkload.GuessBulkLoad},
		{Path: "POST /bulk_loads/preview", Handle: bulkload.PreviewBulkLoad},
	}
}
