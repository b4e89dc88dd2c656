package facts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
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
	Keyholder *IssuedQuery // the job that has the domain key of which the path asks
	Dropped   uint64       // the caller who has the key that a request removes
}

// Token is an OAuth token as a list shows it.
type Token struct{ ID, Client, User string }

// SubUser is a sub user as a list shows it.
type SubUser struct{ ID, Name string }

// Job is a job as an answer shows it.
type Job struct {
	ID, User string // by whom it was issued; empty if the answer does not say
	Database string
	Status   string
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

func readToken(e *Exchange, f *Shown, body, _ jsontree.Value) {
	fact := Token{f.Entity.ID, visible(body.Get("oauth_client_id")), visible(body.Get("user_id"))}
	e.Tokens = append(e.Tokens, fact)
	f.Ident = Owner{fact.User, fact.Client}.text()
}

func readSubUser(e *Exchange, f *Shown, body, _ jsontree.Value) {
	f.Ident = visible(body.Get("name"))
	e.Users = append(e.Users, SubUser{f.Entity.ID, f.Ident})
}

func readJob(e *Exchange, f *Shown, body, _ jsontree.Value) {
	j := Job{
		ID: f.Entity.ID, User: visible(body.Get("user_name")), Database: body.Get("database").Text(),
		Status: visible(body.Get("status")), At: f.Born,
	}
	if j.User != "" || j.Status != "" {
		e.Jobs = append(e.Jobs, j)
	}
}

// Course holds the status of a job or an attempt, as an answer shows it.
type Course struct {
	Entity
	Status string
	IsOver bool
}

// Courses are those that an answer shows.
func (e *Exchange) Courses() (list []Course) {
	for _, j := range e.Jobs {
		isOver := j.Status == "success" || j.Status == "error" || j.Status == "killed"
		list = append(list, Course{Entity{Kind: jobs, ID: j.ID}, j.Status, isOver})
	}
	for i := range e.Attempts {
		a := &e.Attempts[i]
		list = append(list, Course{Entity{Kind: attempts, ID: a.ID}, a.Status, a.Done})
	}
	return slices.DeleteFunc(list, func(c Course) bool { return c.Status == "" })
}

func (e *Exchange) issue() *IssuedQuery {
	if e.Issued == nil {
		e.Issued = &IssuedQuery{}
	}
	return e.Issued
}

func readIssued(e *Exchange, body jsontree.Value) {
	e.issue().ID, e.issue().Database = body.Get("job_id").Text(), body.Get("database").Text()
}

func readIssue(e *Exchange, body jsontree.Value) {
	e.issue().DomainKey = visible(body.Get("domain_key"))
	isExported := body.Get("result").Exists() || body.Get("result_connection_id").Exists()
	e.issue().Reads = isQuery.MatchString(visible(body.Get("query"))) && !isExported
}

// isQuery matches one SQL statement that makes nothing.
var isQuery = regexp.MustCompile(`(?is)^\s*(select|show|describe)\b[^;]*;?\s*$`)

func readScheduled(e *Exchange, body jsontree.Value) {
	e.AsUser = visible(body.Get("user_name"))
}

func readPage(e *Exchange, r *reading) {
	query := r.query()
	e.Page = &DeletedPage{Cursor: query.Get("cursor_id"), Database: query.Get("database_id")}
}

func readDeleted(e *Exchange, body jsontree.Value) {
	next := body.Get("cursor_id")
	e.Page.Next, e.Page.Cut = next.Text(), !next.Exists()
	e.Listed = body.Get("tables").IsArray()
	for item := range body.Get("tables").List {
		e.Page.Tables = append(e.Page.Tables, DeletedTable{
			ID: item.Get("id").Text(), Name: item.Get("name").Text(), Database: item.Get("database_name").Text(),
			At: instant(item.Get("deleted_at").Text()), Mark: e.markOf(item.Raw()),
		})
	}
}

func readRecovery(e *Exchange, r *reading) {
	e.Recovered = &Recovery{ID: strings.Clone(r.Owner.Match.Param("table_id"))}
}

// readRecovered reads the name of the answer, which is the one that counts.
func readRecovered(e *Exchange, body jsontree.Value) {
	e.Recovered.Name = body.Get("name").Text()
	e.compareRecovered("id", e.Recovered.ID, body.Get("id").Text())
}

func readTarget(e *Exchange, body jsontree.Value) {
	e.Recovered.Database = body.Get("database_name").Text()
	e.compareRecovered("name", body.Get("table_name").Text(), e.Recovered.Name)
	if e.Recovered.Name == "" {
		e.Recovered.Name = body.Get("table_name").Text()
	}
}

// compareRecovered looks whether the table that an answer shows is the one that its request wanted.
func (e *Exchange) compareRecovered(member, asked, shown string) {
	if asked == "" || shown == "" || isSameName(asked, shown) || !judge.IsDistinct(asked) || !judge.IsDistinct(shown) {
		return
	}
	e.Contradictions = append(e.Contradictions, Contradiction{
		"address", fmt.Sprintf("the table was to be recovered with the %s %s, but the answer shows %s", member, asked, shown),
		specs.Public,
	})
}

// readStatus reads how far the job has come that an answer names.
func readStatus(e *Exchange, body jsontree.Value) {
	if id, status := visible(body.Get("job_id")), visible(body.Get("status")); id != "" && status != "" {
		e.Jobs = append(e.Jobs, Job{ID: id, Status: status})
	}
}

// readStatusByKey reads which job has a domain key, and how far it has come.
func readStatusByKey(e *Exchange, body jsontree.Value) {
	readStatus(e, body)
	e.Keyholder = &IssuedQuery{ID: visible(body.Get("job_id")), DomainKey: e.ID}
}

// readDropped reads the key that is to be removed. A recorder writes the same in its place as in that of the key of a
// caller who has it.
func readDropped(e *Exchange, body jsontree.Value) {
	if key := visible(body.Get("apikey")); key != "" {
		e.Dropped = CallerWith(key)
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
