package core

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface is the core data interface: its routes in the order of its document, and what happens when its events are
// due.
func Interface(engine Engine) op.Interface {
	results := &renderings{}
	return op.Interface{
		Name: "core",
		Routes: []op.Route{
			{Path: "GET /access_control/policies", Rule: listPolicies, For: op.Delegates},
			{Path: "POST /access_control/policies", Rule: createPolicy, For: op.Administrators},
			{Path: "GET /access_control/policies/export", Rule: exportPolicies},
			{Path: "GET /access_control/policies/{policy_id}", Rule: getPolicy, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}", Rule: updatePolicy, For: op.Administrators},
			{Path: "DELETE /access_control/policies/{policy_id}", Rule: deletePolicy, For: op.Administrators},
			{Path: "GET /access_control/users/{user_id}/policies", Rule: listUserPolicies},
			{Path: "PATCH /access_control/users/{user_id}/policies", Rule: updateUserPolicies, For: op.Delegates},
			{Path: "POST /access_control/users/{user_id}/policies/{policy_id}", Rule: attachPolicyToUser, For: op.Delegates},
			{Path: "DELETE /access_control/users/{user_id}/policies/{policy_id}", Rule: detachPolicyFromUser, For: op.Delegates},
			{Path: "POST /access_control/policies/{policy_id}/users/{user_id}", Rule: attachUserToPolicy, For: op.Delegates},
			{Path: "DELETE /access_control/policies/{policy_id}/users/{user_id}", Rule: detachUserFromPolicy, For: op.Delegates},

			{Path: "GET /access_control/policies/{policy_id}/column_permissions", Rule: getColumnPermissions, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/column_permissions", Rule: updateColumnPermissions, For: op.Administrators},
			{Path: "GET /access_control/policies/{policy_id}/permissions", Rule: getPolicyPermissions, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/permissions", Rule: updatePolicyPermissions, For: op.Administrators},

			{Path: "GET /access_control/users", Rule: listAccessControlUsers, For: op.Delegates},
			{Path: "GET /access_control/users/{user_id}", Rule: getAccessControlUser},
			{Path: "PATCH /access_control/users/{user_id}/permissions", Rule: updateUserPermissions, For: op.Administrators},
			{Path: "GET /access_control/users/{user_id}/profile_options", Rule: listProfileOptions},
			{Path: "GET /access_control/users/{user_id}/profile_options/{key}", Rule: getProfileOption},
			{Path: "PUT /access_control/users/{user_id}/profile_options/{key}", Rule: setProfileOption},
			{Path: "DELETE /access_control/users/{user_id}/profile_options/{key}", Rule: deleteProfileOption},
			{Path: "GET /access_control/policies/{policy_id}/users", Rule: listPolicyUsers, For: op.Delegates},
			{Path: "PATCH /access_control/policies/{policy_id}/users", Rule: updatePolicyUsers, For: op.Delegates},

			{Path: "GET /access_control/policy_groups", Rule: listPolicyGroups, For: op.Delegates},
			{Path: "POST /access_control/policy_groups", Rule: createPolicyGroup, For: op.Administrators},
			{Path: "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: getPolicyGroup, For: op.Delegates},
			{Path: "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: updatePolicyGroup, For: op.Administrators},
			{Path: "DELETE /access_control/policy_groups/{policy_group_id_or_taggable_name}", Rule: deletePolicyGroup, For: op.Administrators},
			{Path: "GET /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies", Rule: listPolicyGroupPolicies, For: op.Delegates},
			{Path: "PATCH /access_control/policy_groups/{policy_group_id_or_taggable_name}/policies", Rule: updatePolicyGroupPolicies, For: op.Administrators},

			{Path: "GET /policy_group_tags/{tag}/delegated_admins", Rule: listTagDelegatedAdmins, For: op.Delegates},
			{Path: "PATCH /policy_group_tags/{tag}/delegated_admins", Rule: setTagDelegatedAdmins, For: op.Administrators},
			{Path: "GET /policy_group_tags/{tag}/users", Rule: listTagUsers, For: op.Delegates},
			{Path: "PATCH /policy_group_tags/{tag}/users", Rule: setTagUsers, For: op.Delegates},

			{Path: "GET /result/list", Rule: listConnections},
			{Path: "POST /result/create/{connection_name}", Rule: createConnection},
			{Path: "POST /result/delete/{connection_name}", Rule: deleteConnection},
			{Path: "GET /connections/lookup", Rule: lookupConnection},
			{Path: "POST /connector_configs/validate_with_connection", Rule: validateConnectorConfig},

			{Path: "GET /database/list", Rule: listDatabases},
			{Path: "GET /database/show/{database_name}", Rule: getDatabase},
			{Path: "POST /database/create/{database_name}", Rule: createDatabase},
			{Path: "POST /database/delete/{database_name}", Rule: deleteDatabase},

			{Path: "GET /job/list", Rule: listJobs},
			{Path: "GET /job/show/{job_id}", Rule: getJob, Pending: jobPending},
			{Path: "GET /job/status/{job_id}", Rule: getJobStatus, Pending: jobPending},
			{Path: "GET /job/status_by_domain_key/{domain_key}", Rule: getJobStatusByDomainKey, Pending: domainKeyPending},
			{Path: "GET /job/statistics/{job_id}", Rule: getJobStatistics, Pending: jobPending},
			{Path: "POST /job/issue/{job_type}/{database_name}", Rule: engine.issueJob},
			{Path: "POST /job/kill/{job_id}", Rule: killJob},
			{Path: "POST /job/result_export/{job_id}", Rule: setJobResultExport},
			{Path: "POST /export/run/{database_name}/{table_name}", Rule: createExportJob},
			{Path: "GET /job/result/{job_id}", Rule: results.getJobResult, Pending: jobPending},

			{Path: "GET /oauth_token/list", Rule: listOauthTokens},
			{Path: "POST /oauth_token/remove/{oauth_token_id}", Rule: removeOauthToken},

			{Path: "GET /schedule/list", Rule: listSchedules},
			{Path: "POST /schedule/create/{schedule_name}", Rule: createSchedule},
			{Path: "POST /schedule/delete/{schedule_name}", Rule: deleteSchedule},
			{Path: "POST /schedule/update/{schedule_name}", Rule: updateSchedule},
			{Path: "POST /schedule/run/{schedule_name}/{schedule_time}", Rule: runSchedule},
			{Path: "GET /schedule/history/{schedule_name}", Rule: getScheduleHistory},

			{Path: "GET /sub_user/list", Rule: listSubUsers},
			{Path: "POST /sub_user/remove/{sub_user_id}", Rule: removeSubUser},

			{Path: "GET /table/list/{database_name}", Rule: listTables},
			{Path: "GET /table/show/{database_name}/{table_name}", Rule: getTable},
			{Path: "POST /table/delete/{database_name}/{table_name}", Rule: deleteTable},
			{Path: "POST /table/create/{database_name}/{table_name}/{table_type}", Rule: createTableWithType},
			{Path: "POST /table/create/{database_name}/{table_name}", Rule: createTable},
			{Path: "POST /table/update/{database_name}/{table_name}", Rule: updateTable},
			{Path: "POST /table/rename/{database_name}/{current_table_name}/{new_table_name}", Rule: renameTable},
			{Path: "POST /table/swap/{database_name}/{table_name_1}/{table_name_2}", Rule: swapTables},
			{Path: "GET /table/tail/{database_name}/{table_name}{path_format}", Rule: tailTable},
			{Path: "GET /table/distribution/{database_name}/{table_name}", Rule: getTableDistribution},
			{Path: "POST /table/change_database/{database_name}/{table_name}", Rule: changeTableDatabase},
			{Path: "POST /table/transfer/{database_name}/{table_name}", Rule: transferTable},
			{Path: "POST /table/append-schema/{database_name}/{table_name}", Rule: appendTableSchema},
			{Path: "POST /table/update-schema/{database_name}/{table_name}", Rule: updateTableSchema},
			{Path: "GET /table/deleted", Rule: listDeletedTables},
			{Path: "POST /table/recover/{table_id}", Rule: recoverTable},

			{Path: "POST /user/delegated_admin/add/{user_email}", Rule: addDelegatedAdmin, For: op.Administrators},
			{Path: "POST /user/delegated_admin/remove/{user_email}", Rule: removeDelegatedAdmin, For: op.Administrators},

			{Path: "GET /data_connector_restrictions", Rule: getDataConnectorRestrictions},
		},
		Extras: extraRoutes(),
		Error:  errorReply,
		Settle: map[string]func(*world.World, world.Event){
			world.JobEvent:         engine.runJob,
			world.JobScheduleEvent: runDueSchedule,
			world.BulkImportEvent:  endBulkImportCommit,
			world.BulkLoadEvent:    runDueBulkLoad,
		},
	}
}

// extraRoutes returns what clients call around the operations, in the order of their document.
func extraRoutes() []op.Route {
	return []op.Route{
		{Path: "GET /system/server_status", Rule: getServerStatus, For: op.Anyone},

		{Path: "GET /account/show", Rule: getAccount},
		{Path: "GET /account/core_utilization", Rule: getAccountCoreUtilization},

		{Path: "GET /user/list", Rule: listUsers},
		{Path: "GET /user/show/{name}", Rule: getUser},
		{Path: "POST /user/authenticate", Rule: authenticateUser, For: op.Anyone},
		{Path: "POST /user/add/{name}", Rule: addUser, For: op.Administrators},
		{Path: "POST /user/remove/{name}", Rule: removeUser, For: op.Administrators},
		{Path: "GET /user/apikey/list/{name}", Rule: listAPIKeys},
		{Path: "POST /user/apikey/add/{name}", Rule: addAPIKey},
		{Path: "POST /user/apikey/remove/{name}", Rule: removeAPIKey},
		{Path: "POST /user/password/change/{name}", Rule: changePassword, For: op.Administrators},
		{Path: "POST /user/password/change", Rule: changeMyPassword},

		{Path: "PUT /table/import/{database_name}/{table_name}/{format}", Rule: importTable, For: op.Importers, MaxBody: maxImport},
		{Path: "PUT /table/import_with_id/{database_name}/{table_name}/{unique_id}/{format}", Rule: importTable, For: op.Importers, MaxBody: maxImport},

		{Path: "GET /bulk_import/list", Rule: listBulkImports},
		{Path: "POST /bulk_import/create/{name}/{database_name}/{table_name}", Rule: createBulkImport},
		{Path: "GET /bulk_import/show/{name}", Rule: getBulkImport, Pending: bulkImportPending},
		{Path: "POST /bulk_import/delete/{name}", Rule: deleteBulkImport},
		{Path: "GET /bulk_import/list_parts/{name}", Rule: listBulkImportParts},
		{Path: "PUT /bulk_import/upload_part/{name}/{part_name}", Rule: uploadBulkImportPart, MaxBody: maxImport},
		{Path: "POST /bulk_import/delete_part/{name}/{part_name}", Rule: deleteBulkImportPart},
		{Path: "POST /bulk_import/freeze/{name}", Rule: freezeBulkImport},
		{Path: "POST /bulk_import/unfreeze/{name}", Rule: unfreezeBulkImport},
		{Path: "POST /bulk_import/perform/{name}", Rule: performBulkImport},
		{Path: "POST /bulk_import/commit/{name}", Rule: commitBulkImport},
		{Path: "GET /bulk_import/error_records/{name}", Rule: getBulkImportErrorRecords, Pending: bulkImportPending},

		{Path: "GET /bulk_loads", Rule: listBulkLoads},
		{Path: "POST /bulk_loads", Rule: createBulkLoad},
		{Path: "GET /bulk_loads/{name}", Rule: getBulkLoad},
		{Path: "PUT /bulk_loads/{name}", Rule: updateBulkLoad},
		{Path: "DELETE /bulk_loads/{name}", Rule: deleteBulkLoad},
		{Path: "GET /bulk_loads/{name}/jobs", Rule: listBulkLoadJobs, Pending: bulkLoadPending},
		{Path: "POST /bulk_loads/{name}/jobs", Rule: runBulkLoad},
		{Path: "POST /bulk_loads/guess", Rule: guessBulkLoad},
		{Path: "POST /bulk_loads/preview", Rule: previewBulkLoad},
	}
}
