package rule_test

import "strings"

func dwhDeletionTrials() map[string]trial {
	const (
		gone    = "DELETE dwh:/81 => 200 {dwh 81 201}\n"
		read    = "GET dwh:/81 => 200 {dwh 81 201}\n"
		project = "GET /projects/201 => 200 {project 201}\n"
	)
	return map[string]trial{
		violated:     says(gone+project, "fail 1 2"),
		held:         says(gone+"GET dwh:/81 => 404\nGET /projects/201 => 404", "pass ×2"),
		inconclusive: says("DELETE dwh:/81 => 200 {dwh 81}\n"+project, "inconclusive 1"),
		madeAnew:     says(gone + "POST dwh:/ {} => 200 {dwh 82 201}\nGET dwh:/82 => 200 {dwh 82 201}\n" + project),
		idReused:     says(gone + "POST dwh:/ {} => 200 {dwh 81 205}\nGET dwh:/81 => 200 {dwh 81 205}"),
		deletedTwice: says(gone + gone + "DELETE /projects/201 => 200 {project 201}"),
		refused:      says(read + "DELETE dwh:/81 => 403\n" + read + project),
		unanswered:   says("DELETE dwh:/81 => 0\n"+project+"DELETE dwh:/81 => 202 {}\n"+read, "inconclusive 3 4"),
		otherVerbs: says(gone + "PUT /projects?project=n&revision=2 => 200 {project 201}\n" + project +
			"PUT dwh:/82 {} => 200 {dwh 82 202}"),
		unknownBefore: says(read + project),
		underWay:      says("1-5 " + gone + "2-3 " + read + "2-4 " + project),
		partOfList: says(gone +
			`GET dwh:/?page=2 => 200 {"items":[{dwh 82 202}],"pagination":{"page":2,"total_pages":2}}`),
		hiddenKeys: never(noKeys),
	}
}

func dwhTargetTrials() map[string]trial {
	const (
		body    = `{"name":"n","output_config":{"database":"shop"},"advanced_configs":[{"target_table":"orders"}]}`
		create  = "POST dwh:/ " + body + " => 200 {dwh 81 201}\n"
		base    = "GET core:/database/show/shop => 200 {base shop}\n"
		table   = "GET core:/table/show/shop/orders => 200 {table orders 105}\n"
		noTable = "GET core:/table/show/shop/orders => 404\n"
		drop    = "POST core:/table/delete/shop/orders => 200 {}\n"
	)
	return map[string]trial{
		violated:     says(noTable+create, "fail 1 2"),
		held:         says(base+table+create, "pass ×1"),
		inconclusive: says(base+create, "inconclusive 2"),
		madeAnew:     says(base+table+drop+"POST core:/table/create/shop/orders => 200 {}\n"+create, "pass ×1"),
		idReused:     never("tables are named, not numbered, where they are targets"),
		deletedTwice: says(base+table+drop+drop+"POST core:/table/recover/105 => 200 {table orders 105}\n"+create,
			"pass ×1"),
		refused:    says(base+table+"POST core:/table/delete/shop/orders => 403\n"+create, "pass ×1"),
		unanswered: says(base+table+"POST core:/table/delete/shop/orders => 0\n"+create, "inconclusive 4"),
		otherVerbs: says(base+noTable+
			`POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}`+"\n"+create, "pass ×1"),
		unknownBefore: says(create, "inconclusive 1"),
		underWay: says("1-1 "+base+"2-2 "+noTable+"3-9 POST core:/table/create/shop/orders => 200 {}\n4-5 "+create,
			"inconclusive 4"),
		partOfList: never("lists of databases and tables have no pages and no filters"),
		hiddenKeys: says("@hidden "+base+"@hidden "+noTable+"@hidden "+create, "inconclusive 3"),
	}
}

func ingestionSizeTrials() map[string]trial {
	const alone = "it looks at one exchange alone"
	event := func(n int, answer string) string {
		return "POST ingestion:/postback/v3/event/shop/orders " + strings.Repeat("x", n) + " => " + answer + "\n"
	}
	const limit = 1_048_064
	return map[string]trial{
		violated: says(event(limit+1, "200 {}"), "fail 1"), held: says(event(limit, "200 {}"), "pass ×1"),
		inconclusive: says("POST ingestion:/postback/v3/event/shop/orders => 413\n"+event(limit+1, "403"), "inconclusive 1",
			"inconclusive 2"),
		madeAnew: never(alone), idReused: never(alone), deletedTwice: never(alone), otherVerbs: never(alone),
		unknownBefore: never(alone), underWay: never(alone), partOfList: never(alone), hiddenKeys: never(noKeys),
		refused:    says(event(limit+1, "400"), "inconclusive 1"),
		unanswered: says(event(limit+1, "0")+event(limit+1, "502"), "inconclusive 1", "inconclusive 2"),
	}
}

func ingestionAuthTrials() map[string]trial {
	const (
		event  = `POST ingestion:/postback/v3/event/shop/orders {"a":1} => `
		wrong  = "@1/wrong GET core:/database/list => 401\n"
		listed = `GET core:/database/list => 200 {"databases":[]}` + "\n"
	)
	return map[string]trial{
		violated:     says(wrong+"@1/wrong "+event+"403", "fail 1 2"),
		held:         says(wrong+"@1/wrong "+event+"200 {}", "pass ×1"),
		inconclusive: says("@none "+event+"200 {}", "inconclusive 1"),
		madeAnew:     says(wrong+"@1/wrong "+listed+"@1/wrong "+event+"403", "inconclusive 3"), // the key was given again
		idReused:     never("keys are all that callers are told apart by"),
		deletedTwice: never("no deletion matters"),
		refused:      says("@none " + event + "400\n" + wrong + "@1/wrong " + event + "413"),
		unanswered: says("@1/wrong GET core:/database/list => 0\n@1/wrong "+event+"403\n@none "+event+"0",
			"inconclusive 2"),
		otherVerbs:    never("no other request changes whether a key is right, that a recording would show"),
		unknownBefore: says(event+"403", "inconclusive 1"),
		underWay:      says("1-5 "+wrong+"2-3 @1/wrong "+event+"403", "inconclusive 2"),
		partOfList:    never("no list matters"),
		hiddenKeys: says("@hidden GET core:/database/list => 401\n@hidden "+event+
			"403\n@whole GET core:/database/list => 401\n@whole "+
			event+"403", "inconclusive 2", "inconclusive 4"),
	}
}

// Events of 4 May 2026, one o'clock, which claim 1 January, within the window, or 1 June.
func ingestionTimeTrials() map[string]trial {
	const (
		path   = "POST ingestion:/postback/v3/event/shop/orders "
		old    = path + `{"id":"7","total":42.5,"svc_record_time":1767225600} => 200 {}` + "\n"
		timely = path + `{"id":"7","total":42.5,"svc_record_time":1777800000} => 200 {}` + "\n"
		ahead  = path + `{"id":"7","total":42.5,"svc_record_time":"1780272000"} => 200 {}` + "\n"
		tail   = "GET core:/table/tail/shop/orders => 200 "
		used   = tail + `[{"id":"7","total":"42.5","time":1767225600}]` + "\n"
		passed = tail + `[{"id":"7","total":"42.5","time":1777856402}]` + "\n"
	)
	return map[string]trial{
		violated:     says(old+used+ahead+tail+`[{"id":"7","total":"42.5","time":1780272000}]`, "fail 1 2", "fail 3 4"),
		held:         says(old+passed+ahead+passed, "pass ×2"),
		inconclusive: says(old, "inconclusive 1"),
		madeAnew: says(old+
			"POST core:/table/delete/shop/orders => 200 {}\nPOST core:/table/create/shop/orders => 200 {}\n"+tail+"[]",
			"inconclusive 1"),
		idReused:     says(old+tail+`[{"id":"8","total":"42.5","time":1767225600}]`, "inconclusive 1"), // another record
		deletedTwice: never("no deletion matters: only a record that is there is judged"),
		refused:      says(path+`{"id":"7","svc_record_time":1767225600} => 400`+"\n"+used+timely+used, []string(nil)...),
		unanswered:   says(path + `{"id":"7","svc_record_time":1767225600} => 0` + "\n" + used),
		otherVerbs: says(old+`GET core:/table/tail/shop/views => 200 [{"id":"7","total":"42.5","time":1767225600}]`,
			"inconclusive 1"),
		unknownBefore: says(used + timely + used),
		underWay:      says("1-5 "+old+"2-3 "+used, "inconclusive 1"),
		partOfList:    says(old+tail+`[{"id":"9","total":"1","time":1777856400}]`+"\n"+passed, "pass ×1"),
		hiddenKeys:    never(noKeys),
	}
}
