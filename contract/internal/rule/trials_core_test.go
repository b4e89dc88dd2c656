package rule_test

func tokenRevocationTrials() map[string]trial {
	const (
		list   = "GET core:/oauth_token/list => 200 "
		three  = list + `{"oauth_tokens":[{token 51 3 shop},{token 52 3 shop},{token 53 4 shop}]}` + "\n"
		two    = list + `{"oauth_tokens":[{token 52 3 shop},{token 53 4 shop}]}` + "\n"
		others = list + `{"oauth_tokens":[{token 53 4 shop}]}` + "\n"
		remove = `POST core:/oauth_token/remove/51 => 200 {"oauth_token_id":51}` + "\n"
	)
	return map[string]trial{
		violated:     says(three+remove+two, "fail 1 2 3"),
		held:         says(three+remove+others, "pass ×1"),
		inconclusive: says(remove+two, "inconclusive 1 2"),
		madeAnew:     says(three+remove+list+`{"oauth_tokens":[{token 54 3 shop}]}`, "pass ×1"),
		idReused:     says(three+remove+list+`{"oauth_tokens":[{token 51 6 stock}]}`, "pass ×1"),
		deletedTwice: says(three+remove+"POST core:/oauth_token/remove/51 => 404\n"+others, "pass ×2"),
		refused:      says(three + "POST core:/oauth_token/remove/51 => 403\n" + three),
		unanswered: says(three + "POST core:/oauth_token/remove/51 => 0\n" + three +
			"POST core:/oauth_token/remove/51 => 502\n" +
			three + "POST core:/oauth_token/remove/51 => 202 {}\n" + three),
		otherVerbs:    says(three + "POST core:/sub_user/remove/3 => 200 {}\n" + three),
		unknownBefore: says(others+remove+others, "inconclusive 2 3"),
		underWay:      says("1-2 " + three + "3-6 " + remove + "4-5 " + three),
		partOfList:    never("the list of tokens has no pages and no filters"),
		hiddenKeys:    says("@hidden "+three+"@hidden "+remove+"@hidden "+others, "inconclusive 2 3"),
	}
}

func subUserRemovalTrials() map[string]trial {
	const (
		list  = "GET core:/sub_user/list => 200 "
		both  = list + `{"sub_users":[{sub 5 Sue},{sub 6 Sam}]}` + "\n"
		other = list + `{"sub_users":[{sub 6 Sam}]}` + "\n"
		issue = `@1/sue POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job":"9","job_id":"9","database":"shop"}` +
			"\n"
		known  = both + issue + "GET core:/job/show/9 => 200 {job 9 Sue}\n"
		remove = `POST core:/sub_user/remove/5 => 200 {"sub_user_id":5}` + "\n"
		use    = `@1/sue GET core:/database/list => 200 {"databases":[]}` + "\n"
	)
	return map[string]trial{
		violated:     says(known+remove+use, "fail 1 2 3 4 5"),
		held:         says(known+remove+"@1/sue GET core:/database/list => 401\n"+other, "pass ×2"),
		inconclusive: says(both+remove, "inconclusive 2"),
		madeAnew: says(known+remove+list+`{"sub_users":[{sub 6 Sam},{sub 8 Sue}]}`+
			"\n@1/new GET core:/job/show/9 => 200 {job 9 Sue}", "pass ×1"),
		idReused:     says(known+remove+list+`{"sub_users":[{sub 5 Max},{sub 6 Sam}]}`, "pass ×1"),
		deletedTwice: says(known+remove+"POST core:/sub_user/remove/5 => 404", "pass ×1"),
		refused:      says(known + "POST core:/sub_user/remove/5 => 403\n" + use + both),
		unanswered: says(known + "POST core:/sub_user/remove/5 => 0\n" + use + "POST core:/sub_user/remove/5 => 202 {}\n" +
			use +
			"POST core:/sub_user/remove/5 => 500\n" + both),
		otherVerbs:    says(known + "DELETE core:/access_control/users/5/policies/21 => 200 {}\n" + use + both),
		unknownBefore: says(remove+use, "inconclusive 1"),
		underWay: says("1-2 " + both + "3-3 " + issue + "4-4 GET core:/job/show/9 => 200 {job 9 Sue}\n5-9 " + remove +
			"6-7 " + use),
		partOfList: never("the list of sub users has no pages and no filters"),
		hiddenKeys: says(both+`@hidden POST core:/job/issue/hive/shop {"query":"q"} => 200 {"job_id":"9"}`+"\n"+
			"GET core:/job/show/9 => 200 {job 9 Sue}\n"+remove+`@hidden GET core:/database/list => 200 {"databases":[]}`,
			"inconclusive 4"),
	}
}

func tableRecoveryTrials() map[string]trial {
	const (
		remove  = `POST core:/table/delete/shop/orders => 200 {"database":"shop","table":"orders","type":"log"}` + "\n"
		deleted = "GET core:/table/deleted => 200 "
		none    = deleted + `{"tables":[],"cursor_id":null}` + "\n"
		one     = deleted + `{"tables":[{deleted 105 shop orders}],"cursor_id":null}` + "\n"
		restore = "POST core:/table/recover/105 => 200 {table orders 105}\n"
		absent  = "GET core:/table/show/shop/orders => 404\n"
		show    = "GET core:/table/show/shop/orders => 200 {table orders 105}\n"
	)
	return map[string]trial{
		violated:     says(remove+none, "fail 1 2"),
		held:         says(remove+one+restore+show, "pass ×2"),
		inconclusive: says(restore+absent, "inconclusive 1"),
		madeAnew:     says(remove+"POST core:/table/create/shop/orders => 200 {}\n"+one, "pass ×1"),
		idReused:     never("the id of a table that can be recovered is not free"),
		deletedTwice: says(remove+"POST core:/table/delete/shop/orders => 200 {}\n"+one+restore+remove+absent, "pass ×1"),
		refused: says("POST core:/table/delete/shop/orders => 403\n"+none+remove+one+
			"POST core:/table/recover/105 => 403\n"+absent, "pass ×1"),
		unanswered: says("POST core:/table/delete/shop/orders => 0\n"+none+remove+one+"POST core:/table/recover/105 => 0\n"+
			absent+"POST core:/table/recover/105 => 202 {}\n"+absent, "pass ×1"),
		otherVerbs: says(remove+one+restore+
			`POST core:/table/rename/shop/orders/old => 200 {"database":"shop","table":"old"}`+"\n"+absent, "pass ×1"),
		unknownBefore: says(none + absent + one),
		underWay:      says("1-5 " + remove + "2-3 " + none),
		partOfList: says(remove+deleted+`{"tables":[{deleted 90 shop carts}],"cursor_id":90}`+"\n"+
			`GET core:/table/deleted?database_id=12 => 200 {"tables":[],"cursor_id":null}`, "inconclusive 1 2"),
		hiddenKeys: says("@hidden "+remove+"@hidden "+none, "inconclusive 1 2"),
	}
}

func useAfterDeleteTrials() map[string]trial {
	const (
		gone  = "POST core:/table/delete/shop/orders => 200 {}\n"
		show  = "GET core:/table/show/shop/orders => 200 {table orders 105}\n"
		query = `POST core:/job/issue/trino/shop {"query":"q"} => 200 {"job_id":"9"}` + "\n"
	)
	return map[string]trial{
		violated:     says(gone+show, "fail 1 2"),
		held:         says(gone+"GET core:/table/show/shop/orders => 404", "pass ×1"),
		inconclusive: says("POST core:/table/delete/shop/orders => 0\n"+show, "inconclusive 1 2"),
		madeAnew: says(gone + "POST core:/table/create/shop/orders/log => 200 {}\n" + show + gone + query +
			`GET core:/table/show/shop/orders => 200 {table orders 106}`),
		idReused: says("DELETE /pools/7 => 200 {pool 7 10}\nPOST /pools {} => 201 {pool 7 5}\nGET /pools/7 => 200 " +
			"{pool 7 5}"),
		deletedTwice: says(gone + gone),
		refused: says("POST core:/table/delete/shop/orders => 403\n" + show + gone +
			"GET core:/table/show/shop/orders => 403"),
		unanswered: says("POST core:/table/delete/shop/orders => 202 {}\n"+show+
			"POST core:/table/delete/shop/orders => 500\n"+show,
			"inconclusive 1 2", "inconclusive 3 4"),
		otherVerbs: says(gone + `POST core:/table/rename/shop/carts/orders => 200 {"database":"shop","table":"orders"}` +
			"\n" + show +
			"DELETE core:/access_control/policies/21/users/3 => 200 {}\nGET core:/access_control/policies/21 => 200 {}"),
		unknownBefore: says(show + `GET core:/table/list/shop => 200 {"tables":[{table orders 105}]}`),
		underWay:      says("1-5 " + gone + "2-3 " + show),
		partOfList: says("DELETE llm:/agents/" + uuid + " => 204\n" +
			`GET llm:/agents?page[limit]=1 => 200 {"data":[],"meta":{"total":3}}` + "\n" +
			`GET llm:/agents?filter[name]=x => 200 {"data":[],"meta":{"total":0}}`),
		hiddenKeys: never(noKeys),
	}
}
