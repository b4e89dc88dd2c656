package rule

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/judge"
)

// CoreFacts hold what exchanges of the core interface say.
type CoreFacts struct {
	Tokens    []tokenFact
	Users     []userFact // sub users
	Jobs      []jobFact  // as they are shown
	Issued    *issueFact
	AsUser    string // the name that the answer gives the caller
	Page      *pageFact
	Recovered *recoveryFact
	Dropped   uint64 // the caller who has the key that a request removes
}

type tokenFact struct{ ID, Client, User string }

type userFact struct{ ID, Name string }

type jobFact struct {
	ID, User string
	Database string
	At       time.Time // when it was issued
	Mark     uint64
}

// issueFact is a job that the caller issued.
type issueFact struct {
	ID, DomainKey string
	Database      string
	Reads         bool // it is a query that changes nothing
}

// pageFact is a page of deleted tables.
type pageFact struct {
	Cursor, Next string // what was asked for, and what to ask for next: empty for the first page, and after the last
	Cut          bool   // the answer does not say whether there are more
	Database     string // id, of a page that is about one
	Tables       []deletedFact
}

type deletedFact struct {
	ID, Name, Database string
	At                 time.Time
	Mark               uint64
}

// recoveryFact is a request to recover a table, with the place that it asks for and the name that the answer gives.
type recoveryFact struct{ ID, Name, Database string }

// tableMakers are operations that can make tables which they do not name: those whose queries run.
var tableMakers = []*kind{tables}

var coreReaders = map[string]*reader{
	"listPolicies":            {of: policies, does: lists, in: list("", addPolicy)},
	"createPolicy":            {of: policies, does: makes, in: addPolicy},
	"getPolicy":               {of: policies, does: reads, in: addPolicy},
	"updatePolicy":            {of: policies, does: changes, in: addPolicy},
	"deletePolicy":            {of: policies, does: removes, in: addPolicy},
	"attachPolicyToUser":      {of: policies, does: changes, in: alone(nil)},
	"detachPolicyFromUser":    {of: policies, does: changes, in: alone(nil)},
	"attachUserToPolicy":      {of: policies, does: changes, in: alone(nil)},
	"detachUserFromPolicy":    {of: policies, does: changes, in: alone(nil)},
	"getColumnPermissions":    {of: policies, does: reads},
	"updateColumnPermissions": {of: policies, does: changes},
	"getPolicyPermissions":    {of: policies, does: reads},
	"updatePolicyPermissions": {of: policies, does: changes},
	"listPolicyUsers":         {of: policies, does: reads},
	"updatePolicyUsers":       {of: policies, does: changes},

	"listPolicyGroups":          {of: policyGroups, does: lists, in: list("", addPolicyGroup)},
	"createPolicyGroup":         {of: policyGroups, does: makes, in: addPolicyGroup},
	"getPolicyGroup":            {of: policyGroups, does: reads, in: addPolicyGroup},
	"updatePolicyGroup":         {of: policyGroups, does: changes, in: addPolicyGroup},
	"deletePolicyGroup":         {of: policyGroups, does: removes},
	"listPolicyGroupPolicies":   {of: policyGroups, does: reads},
	"updatePolicyGroupPolicies": {of: policyGroups, does: changes},

	"listConnections":  {of: connections, does: lists, in: list("results", addConnection)},
	"createConnection": {of: connections, does: makes},
	"deleteConnection": {of: connections, does: removes},
	"lookupConnection": {of: connections, does: reads, rest: namedInQuery},

	"listDatabases":  {of: databases, does: lists, in: list("databases", addDatabase)},
	"getDatabase":    {of: databases, does: reads, in: addDatabase},
	"createDatabase": {of: databases, does: makes},
	"deleteDatabase": {of: databases, does: removes},

	"listJobs":           {in: list("jobs", addJob)},
	"getJob":             {in: addJob},
	"issueJob":           {stirs: tableMakers, rest: readJobDatabase, in: readIssued, to: readIssue},
	"createExportJob":    {in: readIssued, to: readIssue},
	"setJobResultExport": {stirs: tableMakers, in: readIssued, to: readIssue},

	"listOauthTokens":  {of: tokens, does: lists, in: list("oauth_tokens", addToken)},
	"removeOauthToken": {of: tokens, does: removes},

	"listSchedules":      {of: schedules, does: lists, in: list("schedules", addSchedule)},
	"createSchedule":     {of: schedules, does: makes, in: readScheduled},
	"deleteSchedule":     {of: schedules, does: removes},
	"updateSchedule":     {of: schedules, does: changes, in: addSchedule},
	"runSchedule":        {of: schedules, does: changes, stirs: tableMakers},
	"getScheduleHistory": {of: schedules, does: reads},

	"listSubUsers":  {of: subUsers, does: lists, in: list("sub_users", addSubUser)},
	"removeSubUser": {of: subUsers, does: removes},

	"listTables":           {of: tables, does: lists, in: list("tables", addTable)},
	"getTable":             {of: tables, does: reads, in: addTable},
	"deleteTable":          {of: tables, does: removes},
	"createTableWithType":  {of: tables, does: makes},
	"createTable":          {of: tables, does: makes},
	"updateTable":          {of: tables, does: changes, in: readMoved},
	"renameTable":          {of: tables, does: changes, rest: namedBy("current_table_name"), in: readMoved},
	"swapTables":           {of: tables, does: changes, rest: readSwapped},
	"tailTable":            {of: tables, does: reads, in: list("", addRecord)},
	"getTableDistribution": {of: tables, does: reads},
	"changeTableDatabase":  {of: tables, does: changes, in: readMoved},
	"transferTable":        {of: tables, does: changes},
	"appendTableSchema":    {of: tables, does: changes},
	"updateTableSchema":    {of: tables, does: changes},
	"listDeletedTables":    {rest: readPage, in: addDeleted},
	"recoverTable":         {stirs: []*kind{databases, tables}, rest: readRecovery, in: readRecovered, to: readTarget},

	"importTable":       {of: tables, does: changes},
	"importTableWithId": {of: tables, does: changes},
	"createBulkImport":  {of: tables, does: reads},
	"removeApiKey":      {to: readDropped},
}

func (e *Event) showBorn(k *kind, id, ident string, body gjson.Result) {
	if id == "" {
		return
	}
	e.Shows = append(e.Shows, shown{Thing: thing{k, id}, Ident: ident, Born: instant(text(body.Get("created_at")))})
}

// instant reads the forms of time that the interface has, to the second.
func instant(text string) time.Time {
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.Truncate(time.Second)
		}
	}
	return time.Time{}
}

func addPolicy(e *Event, body gjson.Result) { e.show(policies, text(body.Get("id"))) }

// addPolicyGroup knows a group by both of its names: paths may have either. Digits in a path are an id before they are
// a name (assumed), so a name of digits alone is none to go by.
func addPolicyGroup(e *Event, body gjson.Result) {
	id, name := text(body.Get("id")), text(body.Get("taggable_name"))
	if strings.Trim(name, "0123456789") == "" {
		name = ""
	}
	if id != "" {
		e.Shows = append(e.Shows, shown{Thing: thing{policyGroups, id}, Alias: name, Ident: id})
	}
}

func addConnection(e *Event, body gjson.Result) { e.show(connections, text(body.Get("name"))) }

func addDatabase(e *Event, body gjson.Result) {
	e.showBorn(databases, text(body.Get("name")), text(body.Get("id")), body)
}

func addTable(e *Event, body gjson.Result) {
	if name := text(body.Get("name")); name != "" {
		e.showBorn(tables, e.ID+"/"+name, text(body.Get("id")), body)
	}
}

func addSchedule(e *Event, body gjson.Result) {
	e.showBorn(schedules, text(body.Get("name")), "", body)
}

func addToken(e *Event, body gjson.Result) {
	fact := tokenFact{text(body.Get("id")), visible(body.Get("oauth_client_id")), visible(body.Get("user_id"))}
	if fact.ID != "" {
		e.Tokens = append(e.Tokens, fact)
		e.Shows = append(e.Shows, shown{Thing: thing{tokens, fact.ID}, Ident: owner{fact.User, fact.Client}.text()})
	}
}

func addSubUser(e *Event, body gjson.Result) {
	if fact := (userFact{text(body.Get("id")), visible(body.Get("name"))}); fact.ID != "" {
		e.Users = append(e.Users, fact)
		e.Shows = append(e.Shows, shown{Thing: thing{subUsers, fact.ID}, Ident: fact.Name})
	}
}

func addJob(e *Event, body gjson.Result) {
	fact := jobFact{
		ID: text(body.Get("job_id")), User: visible(body.Get("user_name")), Database: text(body.Get("database")),
		At: instant(text(body.Get("created_at"))), Mark: markOf(body),
	}
	if fact.ID != "" && fact.User != "" {
		e.Jobs = append(e.Jobs, fact)
	}
}

func (e *Event) issue() *issueFact {
	if e.Issued == nil {
		e.Issued = &issueFact{}
	}
	return e.Issued
}

// readJobDatabase takes the database that a job is issued in.
func readJobDatabase(e *Event, r *judge.Result) {
	if name := r.Owner.Match.Param("database_name"); name != "" {
		e.Within = thing{databases, name}
	}
}

func readIssued(e *Event, body gjson.Result) {
	e.issue().ID, e.issue().Database = text(body.Get("job_id")), text(body.Get("database"))
}

func readIssue(e *Event, body gjson.Result) {
	e.issue().DomainKey = visible(body.Get("domain_key"))
	isExported := body.Get("result").Exists() || body.Get("result_connection_id").Exists()
	e.issue().Reads = isQuery.MatchString(visible(body.Get("query"))) && !isExported
}

// isQuery matches one SQL statement that makes nothing.
var isQuery = regexp.MustCompile(`(?is)^\s*(select|show|describe)\b[^;]*;?\s*$`)

func readScheduled(e *Event, body gjson.Result) {
	e.AsUser = visible(body.Get("user_name"))
	addSchedule(e, body)
}

// namedInQuery takes the name of a thing from the query.
func namedInQuery(e *Event, r *judge.Result) {
	if name := queryOf(r).Get("name"); name != "" {
		e.Named = thing{e.of, name}
	}
}

func queryOf(r *judge.Result) url.Values {
	values, _ := url.ParseQuery(r.Owner.Query)
	return values
}

// namedBy takes the name of a table from another path parameter.
func namedBy(parameter string) func(*Event, *judge.Result) {
	return func(e *Event, r *judge.Result) { e.Named = thing{tables, e.ID + "/" + r.Owner.Match.Param(parameter)} }
}

// readMoved reads where a table is after a change that may have moved it.
func readMoved(e *Event, body gjson.Result) {
	database, name := text(body.Get("database")), text(body.Get("table"))
	if database != "" && name != "" {
		e.show(tables, database+"/"+name)
	}
}

func readSwapped(e *Event, r *judge.Result) {
	namedBy("table_name_1")(e, r)
	if e.OK() {
		e.show(tables, e.ID+"/"+r.Owner.Match.Param("table_name_2"))
	}
}

func readPage(e *Event, r *judge.Result) {
	query := queryOf(r)
	e.Page = &pageFact{Cursor: query.Get("cursor_id"), Database: query.Get("database_id")}
}

func addDeleted(e *Event, body gjson.Result) {
	next := body.Get("cursor_id")
	e.Page.Next, e.Page.Cut = text(next), !next.Exists()
	list("tables", func(e *Event, item gjson.Result) {
		e.Page.Tables = append(e.Page.Tables, deletedFact{
			ID: text(item.Get("id")), Name: text(item.Get("name")), Database: text(item.Get("database_name")),
			At: instant(text(item.Get("deleted_at"))), Mark: markOf(item),
		})
	})(e, body)
}

func readRecovery(e *Event, r *judge.Result) {
	e.Recovered = &recoveryFact{ID: strings.Clone(r.Owner.Match.Param("table_id"))}
}

// readRecovered reads the name of the answer, which is the one that counts.
func readRecovered(e *Event, body gjson.Result) { e.Recovered.Name = text(body.Get("name")) }

func readTarget(e *Event, body gjson.Result) {
	e.Recovered.Database = text(body.Get("database_name"))
	if e.Recovered.Name == "" {
		e.Recovered.Name = text(body.Get("table_name"))
	}
}

// readDropped reads the key that is to be removed. A recorder writes the same in its place as in that of the key of a
// caller who has it.
func readDropped(e *Event, body gjson.Result) {
	if key := visible(body.Get("apikey")); key != "" {
		e.Dropped = callerWith(key)
	}
}
