package rule_test

import (
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

func TestDWHDeletion(t *testing.T) {
	t.Parallel()
	const (
		made = `POST dwh:/ {} => 200 {dwh 81 201}` + "\n"
		gone = `DELETE dwh:/81 => 200 {dwh 81 201}` + "\n"
		bare = `DELETE dwh:/81 => 200 {dwh 81}` + "\n" // the answer does not show the project
	)
	runRule(t, rule.DWHDeletion, map[string]ruleCase{
		"it is not found":                  {gone + `GET dwh:/81 => 404`, []string{"pass ×1"}},
		"it is read":                       {made + gone + `GET dwh:/81 => 200 {dwh 81 201}`, []string{"fail 1 2 3"}},
		"its configurations are read":      {gone + `GET dwh:/81/configs => 200 {"id":91}`, []string{"fail 1 2"}},
		"its configurations are not found": {gone + `GET dwh:/81/configs => 404`, []string{"pass ×1"}},
		"its sessions are listed":          {gone + `GET dwh:/81/bulkload_sessions => 200 []`, []string{"fail 1 2"}},
		"its attempts are listed": {
			gone + `GET dwh:/81/session_attempts => 200 {"items":[]}`,
			[]string{"fail 1 2"},
		},
		"it is run":     {gone + `PUT dwh:/81/run_workflow => 200 {"id":"7"}`, []string{"fail 1 2"}},
		"it is updated": {gone + `PUT dwh:/81 {} => 200 {dwh 81 201}`, []string{"fail 1 2"}},
		"it is listed":  {gone + `GET dwh:/ => 200 {"items":[{dwh 81 201}]}`, []string{"fail 1 2"}},
		"it is not listed": {gone +
			`GET dwh:/ => 200 {"items":[{dwh 82 202}],"pagination":{"total_pages":1}}`, []string{"pass ×1"}},
		"it is not on one page of several": {gone +
			`GET dwh:/ => 200 {"items":[{dwh 82 202}],"pagination":{"total_pages":2}}`, nil},
		"it is deleted twice":                {gone + gone, nil},
		"it is deleted twice, and not found": {gone + `DELETE dwh:/81 => 404`, []string{"pass ×1"}},
		"the deletion was refused": {made + `DELETE dwh:/81 => 403` +
			"\nGET dwh:/81 => 200 {dwh 81 201}\nGET /projects/201 => 200 {project 201}", nil},
		"the deletion was not answered": {made + `DELETE dwh:/81 => 0` + "\nGET /projects/201 => 200 {project 201}", nil},
		"it is there after no answer": {
			`DELETE dwh:/81 => 0` + "\nGET dwh:/81 => 200 {dwh 81 201}",
			[]string{"inconclusive 1 2"},
		},
		"the deletion failed":           {made + `DELETE dwh:/81 => 500` + "\nGET /projects/201 => 200 {project 201}", nil},
		"reading at the same time":      {`1-5 ` + gone + `2-3 GET dwh:/81 => 200 {dwh 81 201}`, nil},
		"a refusal before the question": {gone + `GET dwh:/81 => 403`, nil},
		"another one is read":           {gone + `GET dwh:/82 => 200 {dwh 82 202}`, nil},
		"its id is given again": {
			gone + `POST dwh:/ {} => 200 {dwh 81 205}` + "\nGET dwh:/81 => 200 {dwh 81 205}",
			nil,
		},
		"its id may be given again": {gone + `POST dwh:/ {} => 0` + "\nGET dwh:/81 => 200 {dwh 81 205}", nil},
		"its id is given again, as its birth shows": {
			gone + `GET dwh:/81 => 200 {"id":81,"created_at":"2099-01-01T00:00:00Z"}` + "\n" +
				`GET dwh:/81/configs => 200 {"id":91}`, nil,
		},
		"it is listed, made anew": {gone +
			`GET dwh:/ => 200 {"items":[{"id":81,"created_at":"2099-01-01T00:00:00Z"}]}`, []string{"pass ×1"}},
		"it is read, made before": {
			gone + `GET dwh:/81 => 200 {"id":81,"created_at":"1999-01-01T00:00:00Z"}`,
			[]string{"fail 1 2"},
		},
		"its project is not found": {gone + `GET /projects/201 => 404`, []string{"pass ×1"}},
		"its project is read": {
			made + gone + `GET /projects/201 => 200 {project 201}`,
			[]string{"fail 1 2 3"},
		},
		"its project is listed": {made + bare +
			`GET /projects => 200 {"projects":[{project 101},{project 201}]}`, []string{"fail 1 2 3"}},
		"its project was shown by a list": {`GET dwh:/ => 200 {"items":[{dwh 81 201}]}` + "\n" + bare +
			`GET /projects/201 => 200 {project 201}`, []string{"fail 1 2 3"}},
		"its project was never shown": {bare + `GET /projects/201 => 200 {project 201}`, []string{"inconclusive 1"}},
		"the answer to the deletion is cut": {
			`DELETE dwh:/81 => 200 cut` + "\nGET /projects/201 => 200 {project 201}",
			[]string{"inconclusive 1"},
		},
		"the project gets another revision": {gone + `PUT /projects?project=n&revision=2 => 200 {project 201}` +
			"\nGET /projects/201 => 200 {project 201}", nil},
		"a project of the same name": {gone + `GET /projects => 200 {"projects":[{project 205}]}`, nil},
		"the project is another one's now": {made + gone + `POST dwh:/ {} => 200 {dwh 82 201}` +
			"\nGET /projects/201 => 200 {project 201}", nil},
		"reading the project at the same time": {made + `1-5 ` + gone + `2-3 GET /projects/201 => 200 {project 201}`, nil},
		"the project's history":                {gone + `GET /attempts/9 => 200 {attempt 9 50 1 - 7 success}`, nil},
		"the project is deleted, too":          {gone + `DELETE /projects/201 => 200 {project 201}`, nil},
		"a schedule of its project is listed": {made + gone +
			`GET /schedules => 200 {"schedules":[{plan 31 101},{plan 32 201}]}`, []string{"fail 1 2 3"}},
		"a schedule of its project is read": {gone + `GET /schedules/32 => 200 {plan 32 201}`, []string{"fail 1 2"}},
		"a schedule of it is not found": {`GET /schedules/32 => 200 {plan 32 201}` + "\n" + gone +
			`GET /schedules/32 => 404`, []string{"pass ×1"}},
		"other schedules": {gone + `GET /schedules => 200 {"schedules":[{plan 31 101}]}`, nil},
	})
}
