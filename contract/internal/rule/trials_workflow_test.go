package rule_test

const noKeys = "keys play no part in this rule"

func roleTrials() map[string]trial {
	const (
		no    = "GET /pools => 403\n"
		rules = `GET /pool_rules => 200 {"poolRules":[]}` + "\n"
	)
	return map[string]trial{
		violated:      says(no+rules+no, "pass ×1", "inconclusive 1 2", "fail 1 2 3"),
		held:          says(no, "pass ×1"),
		inconclusive:  says(no+rules, "pass ×1", "inconclusive 1 2"),
		madeAnew:      says(no+"@1/new "+rules+no, "pass ×2"), // a key that is made anew is another key
		idReused:      never("callers are told apart by their keys, which no two have"),
		deletedTwice:  never("no deletion matters"),
		refused:       says(no+"DELETE /pool_rules/3 => 404\nPATCH /pools/7 {} => 400\n"+no, "pass ×2"),
		unanswered:    says(no+"GET /pool_rules => 0\nGET /pool_rules => 202 {}\nGET /pool_rules => 503\n"+no, "pass ×2"),
		otherVerbs:    says(no+`GET /attempts => 200 {"attempts":[]}`+"\n"+no, "pass ×2"),
		unknownBefore: says(rules + rules),
		underWay:      says("1-5 "+no+"2-3 "+rules+"6-7 "+no, "pass ×2"),
		partOfList:    never("what a list holds does not matter"),
		hiddenKeys: says("@hidden " + no + "@hidden " + rules + "@hidden " + no + "@whole " + no + "@whole " + rules +
			"@whole " + no),
	}
}

func poolDeletionTrials() map[string]trial {
	const (
		none   = `GET /pool_rules => 200 {"poolRules":[]}` + "\n"
		points = `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=a}]}` + "\n"
		made   = "POST /pools {} => 201 {pool 7 10}\n"
		gone   = "DELETE /pools/7 => 200 {pool 7 10}\n"
		runs   = "GET /attempts/9 => 200 {attempt 9 50 1 - 7 running}\n"
	)
	return map[string]trial{
		violated:     says(points+gone, "fail 1 2"),
		held:         says(none+made+gone, "pass ×1"),
		inconclusive: says(made+gone, "inconclusive 1 2"),
		madeAnew: says(points+"DELETE /pool_rules/3 => 200 {}\nPOST /pool_rules {} => 201 {rule 4 5 8 project_name=a}\n"+
			gone, "pass ×1"),
		idReused: says(points+"DELETE /pool_rules/3 => 200 {}\nPOST /pool_rules {} => 201 {rule 3 5 8 project_name=a}\n"+
			gone+made+gone, "pass ×2"),
		deletedTwice: says(none+gone+gone, "pass ×1"),
		refused:      says(points+"DELETE /pool_rules/3 => 403\nDELETE /pools/7 => 403\nDELETE /pools/7 => 400", "pass ×1"),
		unanswered: says(points+"DELETE /pools/7 => 0\nDELETE /pools/7 => 500\nDELETE /pools/7 => 202 {}\n"+
			"DELETE /pool_rules/3 => 0\n"+gone, "inconclusive 6"),
		otherVerbs: says(points+`PATCH /pool_rules/3 {"poolId":"8"} => 200 {rule 3 5 8 project_name=a}`+"\n"+runs+
			"POST /attempts/9/kill => 200 {attempt 9 50 1 - 7 running}\n"+gone, "inconclusive 4 5"),
		unknownBefore: says(gone, "inconclusive 1"),
		underWay:      says("1-2 "+points+"3-6 DELETE /pool_rules/3 => 200 {}\n4-5 "+gone, "inconclusive 3"),
		partOfList: says(`GET /attempts => 200 {"attempts":[{attempt 9 50 1 - 7 running}]}`+"\n"+none+gone+
			`GET /attempts?last_id=9 => 200 {"attempts":[]}`, "inconclusive 1 3"),
		hiddenKeys: never(noKeys),
	}
}

func defaultPoolTrials() map[string]trial {
	const (
		one = `GET /pools => 200 {"pools":[{default 1 90}]}` + "\n"
		two = `GET /pools => 200 {"pools":[{default 1 90},{pool 2 10}]}` + "\n"
	)
	return map[string]trial{
		violated: says(one+"PATCH /pools/1 {} => 200 {default 1 80}", "pass ×1", "fail 2"),
		held: says(one+"POST /pools {} => 201 {pool 2 20}\n"+
			`GET /pools => 200 {"pools":[{default 1 70},{pool 2 20}]}`, "pass ×3"),
		inconclusive: says(one+`GET /pools => 200 {"pools":[{default 1 99}]}`, "pass ×2", "inconclusive 1 2"),
		madeAnew: says(two+"DELETE /pools/2 => 200 {pool 2 10}\nPOST /pools {} => 201 {pool 3 10}\n"+
			`GET /pools => 200 {"pools":[{default 1 90},{pool 3 10}]}`, "pass ×3"),
		idReused: says(one+`GET /pools => 200 {"pools":[{pool 1 10},{default 2 80}]}`+"\nPATCH /pools/1 {} => 200 {pool 1 5}",
			"pass ×2", "inconclusive 1 2"),
		deletedTwice: says(two+"DELETE /pools/2 => 200 {pool 2 10}\nDELETE /pools/2 => 200 {pool 2 10}\n"+
			`GET /pools => 200 {"pools":[{default 1 100}]}`, "pass ×3"),
		refused: says(one+"POST /pools {} => 400\nPATCH /pools/1 {} => 403\n"+one, "pass ×3"),
		unanswered: says(one+"POST /pools {} => 0\n"+one+"PATCH /pools/1 {} => 500\n"+one, "pass ×3", "inconclusive 1 3",
			"inconclusive 3 5"),
		otherVerbs:    says(two+`PATCH /pools/2 {"name":"b"} => 200 {pool 2 10}`+"\n"+two, "pass ×3"),
		unknownBefore: says("PATCH /pools/1 {} => 200 {pool 1 80}\nDELETE /pools/1 => 200 {pool 1 80}"),
		underWay:      says("1-5 GET /pools/1 => 200 {default 1 90}\n2-3 PATCH /pools/1 {} => 200 {pool 1 80}"),
		partOfList:    never("the list of pools has no pages and no filters"),
		hiddenKeys:    never(noKeys),
	}
}

func poolRuleOrderTrials() map[string]trial {
	const (
		pools = `GET /pools => 200 {"pools":[{default 1 90},{pool 7 5},{pool 8 5}]}` + "\n"
		rules = pools + `GET /pool_rules => 200 {"poolRules":[{rule 3 5 7 project_name=sh}]}` + "\n"
		gone  = "DELETE /pool_rules/3 => 200 {rule 3 5 7 project_name=sh}\n"
		start = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z"} => 200 `
	)
	return map[string]trial{
		violated:     says(rules+start+"{attempt 9 50 1 - 8 running}", "pass ×1", "fail 2 3"),
		held:         says(rules+start+"{attempt 9 50 1 - 7 running}", "pass ×2"),
		inconclusive: says(start+"{attempt 9 50 1 - 7 running}", "inconclusive 1"),
		madeAnew: says(rules+gone+"POST /pool_rules {} => 201 {rule 4 5 8 project_name=sh}\n"+
			start+"{attempt 9 50 1 - 8 running}", "pass ×2"),
		idReused: says(rules+gone+"POST /pool_rules {} => 201 {rule 3 5 8 project_name=sh}\n"+
			start+"{attempt 9 50 1 - 8 running}", "pass ×2"),
		deletedTwice: says(rules+gone+gone+start+"{attempt 9 50 1 - 1 running}", "pass ×2"),
		refused: says(rules+"DELETE /pool_rules/3 => 403\nPATCH /pool_rules/3 {} => 400\n"+start+
			"{attempt 9 50 1 - 7 running}\n"+
			strings400(start), "pass ×2"),
		unanswered: says(rules+"DELETE /pool_rules/3 => 0\n"+start+"{attempt 9 50 1 - 1 running}", "pass ×1",
			"inconclusive 4"),
		otherVerbs: says(rules+"PATCH /pool_rules/3 {} => 200 {rule 3 5 8 project_name=sh}\n"+
			start+"{attempt 9 50 1 - 8 running}", "pass ×2"),
		unknownBefore: says("POST /pool_rules {} => 201 {rule 3 5 7 project_name=sh}\n"+start+"{attempt 9 50 1 - 8 running}",
			"inconclusive 2"),
		underWay: says("1-1 "+pools+"1-2 "+rules[len(pools):]+"3-6 "+gone+"4-5 "+start+"{attempt 9 50 1 - 1 running}",
			"pass ×1", "inconclusive 4"),
		partOfList: never("the list of pool rules has no pages and no filters"),
		hiddenKeys: never(noKeys),
	}
}

// strings400 is a refusal in place of an answer that goes on.
func strings400(line string) string { return line[:len(line)-len("200 ")] + "400" }

func attemptResumeTrials() map[string]trial {
	const (
		plain  = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z"} => `
		retry  = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r"} => `
		failed = `PUT /attempts {"params":{},"sessionTime":"2026-05-04T00:00:00Z","retryAttemptName":"r","resume":{"mode":"failed","attemptId":"9"}} => `
		first  = plain + "200 {attempt 9 50 1 - 7 running}\n"
	)
	return map[string]trial{
		violated:     says(first+plain+"200 {attempt 10 50 2 - 7 running}", "pass ×1", "fail 1 2"),
		held:         says(first+plain+"409 {attempt 9 50 1 - 7 running}", "pass ×1"),
		inconclusive: says(failed+"200 {attempt 10 51 2 r 7 running}", "inconclusive 1"),
		madeAnew:     says(first+retry+"200 {attempt 10 50 2 r 7 running}", "pass ×2"),
		idReused:     never("no request deletes an attempt, so that none can get its id"),
		deletedTwice: never("no request deletes an attempt"),
		refused:      says(plain+"400\n"+plain+"404\n"+first+plain+"400", []string(nil)...),
		unanswered:   says(plain+"0\n"+plain+"500\n"+first+plain+"409 {attempt 9 50 1 - 7 running}", "pass ×1"),
		otherVerbs: says(first+"POST /attempts/9/kill => 200 {attempt 9 50 1 - 7 running}\n"+
			"GET /attempts/9 => 200 {attempt 9 50 1 - 7 killed}\n"+failed+"200 {attempt 10 50 2 r 7 running}", "pass ×3"),
		unknownBefore: says(plain+"409 {attempt 9 50 1 - 7 success}\n"+retry+"200 {attempt 10 50 2 r 7 running}", "pass ×3"),
		underWay:      says("1-5 "+first+"2-3 "+plain+"200 {attempt 10 50 2 - 7 running}", "inconclusive 1 2"),
		partOfList: says(first+`GET /sessions/50/attempts?last_id=9 => 200 {"attempts":[]}`+"\n"+
			plain+"409 {attempt 9 50 1 - 7 running}", "pass ×1"),
		hiddenKeys: never(noKeys),
	}
}
