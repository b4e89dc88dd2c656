package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

var coreMutants = []mutant{
	{"auth-scheme/word", "auth-scheme", "empty", callWithAnotherScheme},
	{"token-revocation/token", "token-revocation", "token-revoked", revokeToken},
	{"token-revocation/siblings", "token-revocation", "token-revoked", revokeToken},
	{"sub-user-removal/keys", "sub-user-removal", "empty", removeSubUser},
	{"sub-user-removal/list", "sub-user-removal", "empty", removeSubUser},
	{"sub-user-removal/tokens", "sub-user-removal", "empty", removeSubUser},
	{"table-recovery/deleted", "table-recovery", "empty", deleteTable},
	{"table-recovery/parent", "table-recovery", "empty", recoverTableOfDeletedDatabase},
	{"table-recovery/table", "table-recovery", "empty", recoverTable},
	{"role/policy-export", "role", "empty", exportPolicies},
	{"role/profile-options", "role", "empty", setProfileOption},
	{"role/sub-users", "role", "empty", listSubUsers},
	{"use-after-delete/database", "use-after-delete", "empty", useDatabase},
	{"use-after-delete/table", "use-after-delete", "empty", useTable},
	{"use-after-delete/connection", "use-after-delete", "empty", useConnection},
	{"use-after-delete/policy", "use-after-delete", "empty", usePolicy},
	{"use-after-delete/domain-key", "use-after-delete", "empty", issueTwice},
	{"use-after-delete/api-key", "use-after-delete", "empty", removeKey},
	{"ingestion-size/refusal", "ingestion-size", "empty", ingestTooMuch},
	{"ingestion-auth/none", "ingestion-auth", "empty", ingestWithoutKey},
	{"ingestion-auth/wrong", "ingestion-auth", "empty", ingestWithWrongKey},
}

// staff is an administrator and a sub user of hers, who may query a database and holds a token.
const staff = `
account:
  features: [eng-lc-sub-users]
  users:
  - {id: 1, name: Ada Admin, email: admin@shop.example, role: administrator}
  - {id: 5, name: kiosk, role: sub_user, parent: admin@shop.example, policies: [analysts]}
  keys:
  - {key: 1/admin, user: admin@shop.example}
  - {key: 1/kiosk, user: kiosk}
  policies:
  - {id: 21, name: analysts, databases: {query: [shop]}}
  profileOptions:
  - {key: locale}
  oauthClients:
  - {clientId: stock-app, name: Stock app}
  oauthTokens:
  - {id: 53, client: stock-app, user: kiosk, scopes: [openid], createdAt: now-2d}
core:
  databases:
  - name: shop
    tables:
    - {name: orders, schema: [[id, long]]}
`

const (
	coreBase  = "/core/v3"
	kioskKey  = "SVC1 1/kiosk"
	eventPath = "/ingestion/postback/v3/event/shop/orders"
)

// hire puts the staff into the world of a server.
func hire(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", staff, "Content-Type", "application/yaml").Want(200)
}

func callWithAnotherScheme(t *testing.T, s http.Handler) {
	t.Helper()
	for _, path := range []string{coreBase + "/database/list", "/workflow/api/projects"} {
		mocktest.Call(t, s, "GET", path, "", "Authorization", "Bearer 1/admin")
	}
}

func revokeToken(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", coreBase+"/oauth_token/list", "").Want(200)
	mocktest.Call(t, s, "POST", coreBase+"/oauth_token/remove/52", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/oauth_token/list", "").Want(200)
}

// nameTheKey has the sub user's key issue a job, which then shows its name.
func nameTheKey(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "").Want(200)
	issued := mocktest.Decode[struct {
		JobID string `json:"job_id"`
	}](mocktest.Call(t, s, "POST", coreBase+"/job/issue/trino/shop", `{"query":"SELECT 1"}`, "Authorization", kioskKey).Want(200))
	mocktest.Call(t, s, "GET", coreBase+"/job/show/"+issued.JobID, "").Want(200)
}

func removeSubUser(t *testing.T, s http.Handler) {
	t.Helper()
	nameTheKey(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/oauth_token/list", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "", "Authorization", kioskKey).Want(403)
	mocktest.Call(t, s, "POST", coreBase+"/sub_user/remove/5", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/oauth_token/list", "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/projects", "", "Authorization", kioskKey)
}

func deleteTable(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "POST", coreBase+"/table/delete/shop/orders", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/table/deleted", "").Want(200)
}

// recoverFirst recovers the first of the deleted tables.
func recoverFirst(t *testing.T, s http.Handler) {
	t.Helper()
	deleted := mocktest.Decode[struct{ Tables []struct{ ID int } }](mocktest.Call(t, s, "GET", coreBase+"/table/deleted", "").Want(200))
	mocktest.Call(t, s, "POST", fmt.Sprintf("%s/table/recover/%d", coreBase, deleted.Tables[0].ID), "").Want(200)
}

func recoverTable(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "POST", coreBase+"/table/delete/shop/orders", "").Want(200)
	recoverFirst(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/table/show/shop/orders", "")
}

func recoverTableOfDeletedDatabase(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "POST", coreBase+"/database/delete/shop", "").Want(200)
	recoverFirst(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/database/show/shop", "")
}

// asKiosk has a sub user try something between two refusals that show what it is.
func asKiosk(t *testing.T, s http.Handler, method, path, body string) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "", "Authorization", kioskKey).Want(403)
	mocktest.Call(t, s, method, coreBase+path, body, "Authorization", kioskKey)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "", "Authorization", kioskKey).Want(403)
}

func exportPolicies(t *testing.T, s http.Handler) {
	t.Helper()
	asKiosk(t, s, "GET", "/access_control/policies/export?policy_ids=21", "")
}

func setProfileOption(t *testing.T, s http.Handler) {
	t.Helper()
	asKiosk(t, s, "PUT", "/access_control/users/5/profile_options/locale", `{"value":"en"}`)
}

func listSubUsers(t *testing.T, s http.Handler) {
	t.Helper()
	nameTheKey(t, s)
	mocktest.Call(t, s, "GET", coreBase+"/sub_user/list", "", "Authorization", kioskKey)
}

func useDatabase(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "POST", coreBase+"/database/create/carts", "").Want(200)
	mocktest.Call(t, s, "POST", coreBase+"/database/delete/carts", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/database/show/carts", "")
}

func useTable(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "POST", coreBase+"/table/delete/shop/orders", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/table/list/shop", "").Want(200)
}

func useConnection(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "POST", coreBase+"/result/create/lake", `{"url":"s3://bucket/"}`).Want(200)
	mocktest.Call(t, s, "POST", coreBase+"/result/delete/lake", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/connections/lookup?name=lake", "")
}

func usePolicy(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	mocktest.Call(t, s, "DELETE", coreBase+"/access_control/policies/21", "").Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/access_control/policies/21", "")
}

func issueTwice(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	for range 2 {
		mocktest.Call(t, s, "POST", coreBase+"/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"once"}`)
	}
}

// ingestTooMuch announces a body of one byte more than is allowed.
func ingestTooMuch(t *testing.T, s http.Handler) {
	t.Helper()
	const length = 1_048_065
	body := `{"a":"` + strings.Repeat("a", length-len(`{"a":""}`)) + `"}`
	mocktest.Call(t, s, "POST", eventPath, body, "Content-Length", fmt.Sprint(length))
}

func ingestWithoutKey(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", coreBase+"/database/list", "").Want(200)
	mocktest.Call(t, s, "POST", eventPath, `{"a":1}`, "Authorization", "")
}

func ingestWithWrongKey(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", coreBase+"/database/list", "", "Authorization", "SVC1 1/nobody").Want(401)
	mocktest.Call(t, s, "POST", eventPath, `{"a":1}`, "Authorization", "SVC1 1/nobody")
}

func removeKey(t *testing.T, s http.Handler) {
	t.Helper()
	hire(t, s)
	added := mocktest.Decode[struct{ Apikey string }](mocktest.Call(t, s, "POST", coreBase+"/user/apikey/add/1", "").Want(200))
	header := "SVC1 " + added.Apikey
	mocktest.Call(t, s, "GET", coreBase+"/database/list", "", "Authorization", header).Want(200)
	mocktest.Call(t, s, "POST", coreBase+"/user/apikey/remove/1", `{"apikey":"`+added.Apikey+`"}`).Want(200)
	mocktest.Call(t, s, "GET", coreBase+"/database/list", "", "Authorization", header)
	mocktest.Call(t, s, "GET", "/workflow/api/version", "", "Authorization", header).Want(200)
}
