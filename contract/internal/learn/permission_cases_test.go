package learn_test

// permissionCases are recordings, with what is learned of them. The rights of users are in each case shown, not shown,
// or shown after a request has changed them.
var permissionCases = map[string]struct{ recording, want string }{
	"a policy that is shown": {`
admin GET /access_control/policies/21/permissions 200 - {"Databases":[{"operation":"query","ids":"4"}]}
admin GET /access_control/users/3/policies 200 - [{"id":21,"account_id":1,"name":"analysts","description":"","user_count":1}]
`, `
user3@account.example: restricted, has analysts
user4@account.example: administrator
analysts grants [Databases:[map[ids:4 operation:query]]]
1/admin: user4@account.example, master
`},
	"a policy that no answer shows": {`
admin GET /access_control/users/3/policies 200 - [{"id":21,"account_id":1,"name":"analysts","description":"","user_count":1}]
anna GET /access_control/users/3/policies 200 - [{"id":21,"account_id":1,"name":"analysts","description":"","user_count":1}]
anna GET /access_control/users/5/policies 403 - {}
anna GET /table/tail/shop/orders 200 - []
anna POST /table/create/shop/notes 403 - {}
`, `
user3@account.example: restricted, has analysts
user5@account.example: administrator
analysts grants [query:[shop]]
1/admin: user5@account.example, master
1/user3: user3@account.example, master
`},
	"a policy that is shown after a change": {`
admin PATCH /access_control/policies/21/permissions 200 {"Databases":[{"operation":"query","ids":"4"}]} {"Databases":[{"operation":"query","ids":"4"}],"WorkflowProject":[{"operation":"run"}]}
admin GET /access_control/policies/21/permissions 200 - {"Databases":[{"operation":"query","ids":"4"}],"WorkflowProject":[{"operation":"run"}]}
`, `
user1@account.example: administrator
policy-21 grants [WorkflowProject:[map[operation:run]]]
1/admin: user1@account.example, master
`},

	"policies of a user that are shown": {`
admin GET /access_control/users/3 200 - {"user_id":3,"account_id":1,"permissions":{"WorkflowProject":[{"operation":"run"}]},"policies":[]}
`, `
user3@account.example: restricted, [WorkflowProject:[map[operation:run]]]
user4@account.example: administrator
1/admin: user4@account.example, master
`},
	"policies of a user that only counts show": {`
admin GET /access_control/policies 200 - [{"id":21,"account_id":1,"name":"analysts","description":"","user_count":2}]
`, `
user1@account.example: administrator
user2@account.example: restricted, has analysts
user3@account.example: restricted, has analysts
analysts grants 
1/admin: user1@account.example, master
`},
	"policies of a user that are shown after a change": {`
admin POST /access_control/users/3/policies/22 200 - {"id":22,"account_id":1,"name":"editors","description":"","user_count":1}
admin DELETE /access_control/users/3/policies/21 200 - {"id":21,"account_id":1,"name":"analysts","description":"","user_count":0}
admin GET /access_control/users/3/policies 200 - [{"id":23,"account_id":1,"name":"collectors","description":"","user_count":1},{"id":22,"account_id":1,"name":"editors","description":"","user_count":1}]
`, `
user3@account.example: restricted, has analysts collectors
user4@account.example: administrator
analysts grants 
editors grants 
collectors grants 
1/admin: user4@account.example, master
`},

	"tags that are shown": {`
admin GET /policy_group_tags/store_team/users 200 - {"user_ids":["3"]}
admin GET /policy_group_tags/store_team/delegated_admins 200 - {"user_ids":["4"]}
`, `
user3@account.example: restricted, tagged store_team
user4@account.example: restricted, manages store_team, delegated
user5@account.example: administrator
1/admin: user5@account.example, master
`},
	"tags that no answer shows": {`
dora GET /access_control/policies 200 - [{"id":23,"account_id":1,"name":"collectors","description":"","user_count":0}]
dora POST /access_control/users/3/policies/23 200 - {"id":23,"account_id":1,"name":"collectors","description":"","user_count":1}
dora POST /access_control/users/6/policies/23 403 - {}
dora PATCH /policy_group_tags/store_team/users 204 {"user_ids":["3","6"]}
dora POST /access_control/users/6/policies/23 200 - {"id":23,"account_id":1,"name":"collectors","description":"","user_count":2}
dora POST /access_control/policies 403 {"policy":{"name":"mine"}} {}
`, `
user3@account.example: restricted, tagged store_team, manages store_team, delegated
user6@account.example: restricted
user7@account.example: administrator
collectors grants 
1/user3: user3@account.example, master
1/admin: user7@account.example, master
`},
	"tags that are shown after a change": {`
admin PATCH /policy_group_tags/store_team/users 204 {"user_ids":["3"]}
admin GET /policy_group_tags/store_team/users 200 - {"user_ids":["3"]}
`, `
user3@account.example: restricted
user4@account.example: administrator
1/admin: user4@account.example, master
`},

	"a delegated admin who was one": {`
dora GET /access_control/policies 200 - []
admin POST /user/delegated_admin/remove/dora@shop.example 200 - {"user_email":"dora@shop.example","delegated_admin":false}
dora GET /access_control/policies 403 - {}
`, `
dora@shop.example: restricted, delegated
user3@account.example: administrator
1/dora: dora@shop.example, master
1/admin: user3@account.example, master
`},
	"a delegated admin who is made one": {`
dora GET /access_control/policies 403 - {}
admin POST /user/delegated_admin/add/dora@shop.example 200 - {"user_email":"dora@shop.example","delegated_admin":true}
dora GET /access_control/policies 200 - []
`, `
dora@shop.example: restricted
user3@account.example: administrator
1/dora: dora@shop.example, master
1/admin: user3@account.example, master
`},
	"one who cannot be made a delegated admin": {`
admin POST /user/delegated_admin/add/otto@shop.example 422 - {}
`, `
otto@shop.example: administrator
1/admin: otto@shop.example, master
`},

	"a sub user that is shown": {`
anna GET /sub_user/list 200 - {"sub_users":[{"id":5,"name":"kiosk","email":null,"parent_user_id":3,"account_id":1,"policies":[]}]}
admin GET /sub_user/list 200 - {"sub_users":[{"id":5,"name":"kiosk","email":null,"parent_user_id":3,"account_id":1,"policies":[]},{"id":7,"name":"till","email":null,"parent_user_id":1,"account_id":1,"policies":[]}]}
`, `
user1@account.example: administrator
user3@account.example: restricted
kiosk: sub_user
till: sub_user
1/user3: user3@account.example, master
1/admin: user1@account.example, master
`},
	"a sub user who only calls": {`
kiosk GET /database/list 200 - {"databases":[]}
kiosk GET /sub_user/list 403 - {}
`, `
User 1: sub_user
user2@account.example: administrator
1/user-1: User 1, master
1/admin: user2@account.example, master
`},
	"a sub user whose key is gone with it": {`
admin GET /sub_user/list 200 - {"sub_users":[{"id":5,"name":"kiosk","email":null,"parent_user_id":1,"account_id":1,"policies":[]}]}
kiosk GET /schedule/list 200 - {"schedules":[]}
admin POST /sub_user/remove/5 200 - {"sub_user_id":5}
kiosk GET /schedule/list 401 - {}
`, `
user1@account.example: administrator
kiosk: sub_user
1/admin: user1@account.example, master
1/kiosk: kiosk, master
`},

	"rights that a list of databases shows": {`
anna GET /database/list?require_permissions=true 200 - {"databases":[{"name":"shop","created_at":"2025-12-16 09:30:00 UTC","updated_at":"2025-12-16 09:30:00 UTC","count":0,"organization":null,"delete_protected":false,"permission":"query_only","database_permissions":{"query":true,"edit":false,"import":false,"download":false,"delete":false}}]}
admin GET /database/list 200 - {"databases":[{"name":"shop","created_at":"2025-12-16 09:30:00 UTC","updated_at":"2025-12-16 09:30:00 UTC","count":0,"organization":null,"delete_protected":false,"permission":"administrator"},{"name":"staff","created_at":"2025-12-16 09:30:00 UTC","updated_at":"2025-12-16 09:30:00 UTC","count":0,"organization":null,"delete_protected":false,"permission":"administrator"}]}
`, `
user1@account.example: restricted, has rights of user1@account.example
user2@account.example: administrator
rights of user1@account.example grants [query:[shop]]
1/user1: user1@account.example, master
1/admin: user2@account.example, master
`},
	"a caller who makes databases and sees no other": {`
admin GET /database/list 200 - {"databases":[{"name":"shop","permission":"administrator"}]}
nils POST /database/create/mine 200 - {"database":"mine"}
nils POST /table/create/mine/notes 200 - {"database":"mine","table":"notes","type":"log"}
nils GET /table/list/shop 403 - {}
`, `
user1@account.example: administrator
user2@account.example: restricted, has rights of user2@account.example
rights of user2@account.example grants [Databases:[map[operation:owner_manage]]]
1/admin: user1@account.example, master
1/user2: user2@account.example, master
`},
	"a key that only imports": {`
write POST /ingestion/postback/v3/event/shop/orders 200 {"id":1} {}
write GET /database/list 403 - {}
admin GET /database/list 200 - {"databases":[{"name":"shop","permission":"administrator"}]}
`, `
user1@account.example: administrator
1/write: user1@account.example, write-only
1/admin: user1@account.example, master
`},

	"a profile option that is shown": {`
admin GET /access_control/users/3/profile_options 200 - {"time_zone":"UTC","locale":null}
`, `
user3@account.example: administrator
option locale 
option time_zone UTC
1/admin: user3@account.example, master
`},
	"a profile option of a user's own": {`
admin GET /access_control/users/3/profile_options/time_zone 200 - {"time_zone":"Asia/Tokyo"}
admin DELETE /access_control/users/3/profile_options/time_zone 204
admin GET /access_control/users/3/profile_options/time_zone 200 - {"time_zone":"UTC"}
`, `
user3@account.example: administrator, [time_zone:Asia/Tokyo]
option time_zone UTC
1/admin: user3@account.example, master
`},
	"a profile option that is shown after a change": {`
admin PUT /access_control/users/3/profile_options/time_zone 200 {"value":"Asia/Tokyo"} {"time_zone":"Asia/Tokyo"}
admin GET /access_control/users/3/profile_options/time_zone 200 - {"time_zone":"Asia/Tokyo"}
`, `
user3@account.example: administrator
option time_zone 
1/admin: user3@account.example, master
`},
}
