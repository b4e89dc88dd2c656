package facts

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/judge"
)

// CoreContent holds what exchanges of the core interface say.
type CoreContent struct {
	Tokens    []Token
	Users     []SubUser // sub users
	Jobs      []Job     // as they are shown
	Issued    *IssuedQuery
	AsUser    string // the name that the answer gives the caller
	Page      *DeletedPage
	Recovered *Recovery
	Dropped   uint64 // the caller who has the key that a request removes
}

// Token is an OAuth token as a list shows it.
type Token struct{ ID, Client, User string }

// SubUser is a sub user as a list shows it.
type SubUser struct{ ID, Name string }

// Job is a job as an answer shows it.
type Job struct {
	ID, User string
	Database string
	At       time.Time // when it was issued
}

// IssuedQuery is a job that the caller issued.
type IssuedQuery struct {
	ID, DomainKey string
	Database      string
	Reads         bool // it is a query that changes nothing
}

// DeletedPage is a page of deleted tables.
type DeletedPage struct {
	Cursor, Next string // what was asked for, and what to ask for next: empty for the first page, and after the last
	Cut          bool   // the answer does not say whether there are more
	Database     string // id, of a page that is about one
	Tables       []DeletedTable
}

// DeletedTable is a row of the list of deleted tables.
type DeletedTable struct {
	ID, Name, Database string
	At                 time.Time
	Mark               uint64
}

// Recovery is a request to recover a table, with the place that it asks for and the name that the answer gives.
type Recovery struct{ ID, Name, Database string }

func readToken(e *Exchange, f *Shown, body, _ gjson.Result) {
	fact := Token{f.Thing.ID, visible(body.Get("oauth_client_id")), visible(body.Get("user_id"))}
	e.Tokens = append(e.Tokens, fact)
	f.Ident = Owner{fact.User, fact.Client}.text()
}

func readSubUser(e *Exchange, f *Shown, body, _ gjson.Result) {
	f.Ident = visible(body.Get("name"))
	e.Users = append(e.Users, SubUser{f.Thing.ID, f.Ident})
}

func readJob(e *Exchange, f *Shown, body, _ gjson.Result) {
	if user := visible(body.Get("user_name")); user != "" {
		e.Jobs = append(e.Jobs, Job{ID: f.Thing.ID, User: user, Database: textOf(body.Get("database")), At: f.Born})
	}
}

func (e *Exchange) issue() *IssuedQuery {
	if e.Issued == nil {
		e.Issued = &IssuedQuery{}
	}
	return e.Issued
}

func readIssued(e *Exchange, body gjson.Result) {
	e.issue().ID, e.issue().Database = textOf(body.Get("job_id")), textOf(body.Get("database"))
}

func readIssue(e *Exchange, body gjson.Result) {
	e.issue().DomainKey = visible(body.Get("domain_key"))
	isExported := body.Get("result").Exists() || body.Get("result_connection_id").Exists()
	e.issue().Reads = isQuery.MatchString(visible(body.Get("query"))) && !isExported
}

// isQuery matches one SQL statement that makes nothing.
var isQuery = regexp.MustCompile(`(?is)^\s*(select|show|describe)\b[^;]*;?\s*$`)

func readScheduled(e *Exchange, body gjson.Result) {
	e.AsUser = visible(body.Get("user_name"))
}

func queryOf(r *judge.Result) url.Values {
	values, _ := url.ParseQuery(r.Owner.Query)
	return values
}

func readPage(e *Exchange, r *judge.Result) {
	query := queryOf(r)
	e.Page = &DeletedPage{Cursor: query.Get("cursor_id"), Database: query.Get("database_id")}
}

func readDeleted(e *Exchange, body gjson.Result) {
	next := body.Get("cursor_id")
	e.Page.Next, e.Page.Cut = textOf(next), !next.Exists()
	e.Listed = body.Get("tables").IsArray()
	for _, item := range body.Get("tables").Array() {
		e.Page.Tables = append(e.Page.Tables, DeletedTable{
			ID: textOf(item.Get("id")), Name: textOf(item.Get("name")), Database: textOf(item.Get("database_name")),
			At: instant(textOf(item.Get("deleted_at"))), Mark: e.markOf(item.Raw),
		})
	}
}

func readRecovery(e *Exchange, r *judge.Result) {
	e.Recovered = &Recovery{ID: strings.Clone(r.Owner.Match.Param("table_id"))}
}

// readRecovered reads the name of the answer, which is the one that counts.
func readRecovered(e *Exchange, body gjson.Result) { e.Recovered.Name = textOf(body.Get("name")) }

func readTarget(e *Exchange, body gjson.Result) {
	e.Recovered.Database = textOf(body.Get("database_name"))
	if e.Recovered.Name == "" {
		e.Recovered.Name = textOf(body.Get("table_name"))
	}
}

// readDropped reads the key that is to be removed. A recorder writes the same in its place as in that of the key of a
// caller who has it.
func readDropped(e *Exchange, body gjson.Result) {
	if key := visible(body.Get("apikey")); key != "" {
		e.Dropped = callerWith(key)
	}
}

// Owner is whom, and what application, a token acts for.
type Owner struct{ User, Client string }

// IsKnown reports whether both the user and the client are known.
func (o Owner) IsKnown() bool { return o.User != "" && o.Client != "" }

// text distinguishes tokens of one id, should that be given twice. It is empty when the owner is not known.
func (o Owner) text() string {
	if !o.IsKnown() {
		return ""
	}
	return o.User + " " + o.Client
}
