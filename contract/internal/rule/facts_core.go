package rule

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/judge"
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

func readToken(e *Event, f *shown, body, _ gjson.Result) {
	fact := tokenFact{f.Thing.id, visible(body.Get("oauth_client_id")), visible(body.Get("user_id"))}
	e.Tokens = append(e.Tokens, fact)
	f.Ident = owner{fact.User, fact.Client}.text()
}

func readSubUser(e *Event, f *shown, body, _ gjson.Result) {
	f.Ident = visible(body.Get("name"))
	e.Users = append(e.Users, userFact{f.Thing.id, f.Ident})
}

func readJob(e *Event, f *shown, body, _ gjson.Result) {
	if user := visible(body.Get("user_name")); user != "" {
		e.Jobs = append(e.Jobs, jobFact{ID: f.Thing.id, User: user, Database: text(body.Get("database")), At: f.Born})
	}
}

func (e *Event) issue() *issueFact {
	if e.Issued == nil {
		e.Issued = &issueFact{}
	}
	return e.Issued
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
}

func queryOf(r *judge.Result) url.Values {
	values, _ := url.ParseQuery(r.Owner.Query)
	return values
}

func readPage(e *Event, r *judge.Result) {
	query := queryOf(r)
	e.Page = &pageFact{Cursor: query.Get("cursor_id"), Database: query.Get("database_id")}
}

func readDeleted(e *Event, body gjson.Result) {
	next := body.Get("cursor_id")
	e.Page.Next, e.Page.Cut = text(next), !next.Exists()
	e.Listed = body.Get("tables").IsArray()
	for _, item := range body.Get("tables").Array() {
		e.Page.Tables = append(e.Page.Tables, deletedFact{
			ID: text(item.Get("id")), Name: text(item.Get("name")), Database: text(item.Get("database_name")),
			At: instant(text(item.Get("deleted_at"))), Mark: markOf(item),
		})
	}
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
