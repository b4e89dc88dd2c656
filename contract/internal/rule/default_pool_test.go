package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestDefaultPool(t *testing.T) {
	t.Parallel()
	runRule(t, rule.DefaultPool, map[string]ruleCase{
		"it is not updated": {`
			GET /pools/1 => 200 {default 1 90}
			PATCH /pools/1 {} => 400`, []string{"pass ×1"}},
		"it is updated": {`
			GET /pools/1 => 200 {default 1 90}
			PATCH /pools/1 {} => 200 {default 1 80}`, []string{"fail 2"}},
		"it is deleted": {`
			GET /pools/1 => 200 {default 1 90}
			DELETE /pools/1 => 200 {pool 1 90}`, []string{"fail 1 2"}},
		"another one is updated": {`PATCH /pools/2 {} => 200 {pool 2 10}`, nil},
		"it absorbs what others take and give back": {`
			GET /pools => 200 {"pools":[{default 1 90},{pool 2 10}]}
			POST /pools {} => 201 {pool 3 20}
			PATCH /pools/2 {} => 200 {pool 2 5}
			GET /pools => 200 {"pools":[{default 1 75},{pool 2 5},{pool 3 20}]}
			DELETE /pools/3 => 200 {pool 3 20}
			GET /pools => 200 {"pools":[{default 1 95},{pool 2 5}]}`, []string{"pass ×5"}},
		"it does not absorb": {`
			GET /pools => 200 {"pools":[{default 1 90},{pool 2 10}]}
			POST /pools {} => 201 {pool 3 20}
			GET /pools => 200 {"pools":[{default 1 90},{pool 2 10},{pool 3 20}]}`, []string{"pass ×2", "fail 1 2 3"}},
		"someone else changed pools": {`
			GET /pools => 200 {"pools":[{default 1 90}]}
			POST /pools {} => 201 {pool 3 20}
			GET /pools => 200 {"pools":[{default 1 60},{pool 3 20},{pool 4 10}]}`, []string{"pass ×2", "inconclusive 1 2 3"}},
		"a change was not answered": {`
			GET /pools => 200 {"pools":[{default 1 90}]}
			POST /pools {} => 500
			GET /pools => 200 {"pools":[{default 1 90}]}`, []string{"pass ×2", "inconclusive 1 3"}},
		"changes at the same time": {`
			1-2 GET /pools => 200 {"pools":[{default 1 90}]}
			3-6 POST /pools {} => 201 {pool 3 20}
			4-5 GET /pools => 200 {"pools":[{default 1 90}]}`, []string{"pass ×2", "inconclusive 1 2 3"}},
		"the limit of the account changed": {`
			GET /pools => 200 {"pools":[{default 1 90}]}
			GET /pools => 200 {"pools":[{default 1 99}]}`, []string{"pass ×2", "inconclusive 1 2"}},
		"two of them": {`GET /pools => 200 {"pools":[{default 1 90},{default 2 10}]}`, []string{"fail 1"}},
		"none":        {`GET /pools => 200 {"pools":[{pool 2 10}]}`, []string{"fail 1"}},
	})
}
