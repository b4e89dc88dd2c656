// Package facts extracts from an exchange what the rules need to know of it: the operation, the caller, the resources
// that it names, shows and changes, and the few values that single rules compare. Bodies are read once and not kept.
package facts

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// visible is a text, unless a recorder put the same in the place of others too.
func visible(value jsontree.Value) string {
	if s := value.Text(); judge.IsDistinct(s) {
		return s
	}
	return ""
}

// Content hold what an exchange says beyond its address. Ids are text, whether the body has text or a number.
type Content struct {
	Shows       []Shown      // entities that the answer shows to be there
	Listed      bool         // the answer held its list
	Partial     bool         // or a part of it
	Sought      *Held        // what the one entity has that a list was asked for, which no two entities have alike
	Repeatable  bool         // the request has an idempotency key
	Overwrites  bool         // or may take the place of another entity
	Memberships []Membership // what the answer shows to be a part of what
	Refers      []Reference  // what a request wants something to refer to
	Kept        []string     // members that a request to change something leaves as they are
	Word        string       // the verb that the document of a user's own gives the operation

	Answered string   // the id of the one entity that the answer is, of the kind that the path names
	Ignored  []Member // what a request set, and its answer shows otherwise

	Contradictions []Contradiction // what an answer contradicts of its request or of itself
	Walk           *Walk           // the step of a list that goes on, page by page
	Slice          *Slice          // the part of a list that is divided by positions

	*WorkflowContent // never nil, and not to be changed
	*CoreContent     // likewise
	DWHContent
	IngestionContent
}

// Most exchanges say nothing of the one interface or of the other, and share this.
var (
	noWorkflow = &WorkflowContent{}
	noCore     = &CoreContent{}
)

// NoContent returns that of an exchange that says nothing.
func NoContent() Content { return Content{WorkflowContent: noWorkflow, CoreContent: noCore} }

// Shown is an entity as an answer shows it.
type Shown struct {
	Entity  Entity
	Does    Verb      // what the request did to it
	Aliases []string  // other ids of it
	Ident   string    // that distinguishes it from another one of the same name
	Born    time.Time // likewise, to the second; zero where the answer does not show that
	Mark    uint64    // the same where an answer shows the same of it; 0 where that is too little to identify it
	Object  *Object   // nil where nothing of it matters
	Set     []Setting // what requests have set
}

// Use is an entity that a request names beside the one that it is about.
type Use struct {
	Entity Entity
	Does   Verb
}

// Member is a member that request and answer show differently.
type Member struct{ Name, Asked, Answered string }

// maxIgnored bounds how many of these are kept of an exchange.
const maxIgnored = 20

// written are members that people write: an answer may show them trimmed, cut or normalised, but not with another text.
var written = []string{"name", "title", "label", "description", "comment", "subject"}

// kept matches members that a service sets itself, whatever it is sent: when something was made or changed, how often.
var kept = regexp.MustCompile(
	`(?i)^(?:created|(?:last_?)?(?:updated|modified|changed))(?:_?(?:at|on|time|date))?$|^(?:version|revision)$`)

// compareMembers holds the numbers, truth values and written texts that a request sets against those that its answer
// shows.
func (e *Exchange) compareMembers(actions []*specs.Action, r *reading) {
	e.Repeatable = r.query().Get("idempotent_key") != ""
	e.Overwrites = r.query().Has("overwrite")
	request, ok := r.requestBody()
	if sent := r.Item.Request.Body; !ok && sent != nil {
		e.Overwrites = e.Overwrites || bytes.Contains(sent.Bytes, []byte("overwrite"))
	}
	answer, isJSON := r.answerBody()
	if !ok || !isJSON || e.Opaque {
		return
	}
	e.Overwrites = e.Overwrites || request.Get("overwrite").Exists()
	e.Repeatable = e.Repeatable || request.Get("idempotent_key").Exists()
	if len(actions) > 0 && len(actions[0].At) == 1 {
		request, answer = only(request, actions[0].Request), only(answer, actions[0].At[0])
	} else if data := request.Get("data"); data.IsObject() {
		request, answer = data, answer.Get("data")
	}
	if attributes := request.Get("attributes"); attributes.IsObject() {
		request, answer = attributes, answer.Get("attributes")
	}
	set := map[string]jsontree.Value{}
	for asked := range request.Each {
		if asked.IsNumber() || asked.IsBool() || asked.IsString() && slices.Contains(written, asked.Key()) {
			set[asked.Key()] = asked
		}
	}
	if len(set) == 0 || !answer.IsObject() {
		return
	}
	for shown := range answer.Each {
		if asked := set[shown.Key()]; asked.Exists() && isIgnored(asked, shown) && !isGivenID(actions, r, shown) &&
			!(asked.IsNumber() && kept.MatchString(shown.Key())) {
			const most = 60 // characters
			m := Member{shown.Name(), evidence.Short(asked.Text(), most), evidence.Short(shown.Text(), most)}
			e.Ignored = append(e.Ignored, m)
		}
		if len(e.Ignored) == maxIgnored {
			return
		}
	}
}

// isGivenID reports whether a member of a user's own document is what the path says of the entity, whatever the body
// says, or the key that the service gives a new one.
func isGivenID(actions []*specs.Action, r *reading, shown jsontree.Value) bool {
	if !r.Owner.Match.Operation.Interface.IsOwn() {
		return false
	}
	for name, value := range r.Owner.Match.Params() {
		isKey := strings.EqualFold(shown.Name(), "id") || strings.EqualFold(shown.Name(), name)
		if isKey && specs.Unescaped(value) == shown.Text() {
			return true
		}
	}
	return slices.ContainsFunc(actions, func(a *specs.Action) bool {
		return a.Verb == specs.Create && a.Resource != nil && a.Resource.Behaviour.Make.ID != "client" &&
			slices.ContainsFunc(a.Resource.Keys, func(key specs.Pointer) bool { return len(key) == 1 && key[0] == shown.Name() })
	})
}

// only returns what a pointer leads to, if that is one value; without a pointer, the value itself.
func only(value jsontree.Value, at specs.Pointer) jsontree.Value {
	if at == nil {
		return value
	}
	found := slices.Collect(sight.Values(value, at))
	if len(found) != 1 {
		return jsontree.Value{}
	}
	return found[0]
}

// isIgnored reports whether an answer shows another value than was asked for.
func isIgnored(asked, shown jsontree.Value) bool {
	switch {
	case asked.IsNumber() && shown.IsNumber():
		return asked.Float() != shown.Float()
	case asked.IsBool() && shown.IsBool():
		return asked.Bool() != shown.Bool()
	case asked.IsString() && shown.IsString() && judge.IsPlain(asked.Text()) && judge.IsPlain(shown.Text()):
		a, b := letters(asked.Text()), letters(shown.Text())
		return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
	}
	return false
}

// letters returns the letters and digits of a text, in lower case; nothing if it has letters beyond ASCII, which may be
// written in several ways.
func letters(text string) string {
	isOther := func(c rune) bool { return c > unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsMark(c)) }
	if strings.ContainsFunc(text, isOther) {
		return ""
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, strings.ToLower(text))
}

// reader reads of an operation what rules know beyond what its document says of resources.
type reader struct {
	in   func(*Exchange, jsontree.Value) // reads the answer
	to   func(*Exchange, jsontree.Value) // reads the request's body
	rest func(*Exchange, *reading)       // reads what else there is
}

// readers, by the names of operations.
var readers = map[string]*reader{
	"workflow.startAttempt":        {to: readStart},
	"core.issueJob":                {in: readIssued, to: readIssue},
	"core.createExportJob":         {in: readIssued, to: readIssue},
	"core.setJobResultExport":      {in: readIssued, to: readIssue},
	"core.createSchedule":          {in: readScheduled},
	"core.tailTable":               {in: readRecords},
	"core.listDeletedTables":       {rest: readPage, in: readDeleted},
	"core.recoverTable":            {rest: readRecovery, in: readRecovered, to: readTarget},
	"core.removeApiKey":            {to: readDropped},
	"core.getJobStatus":            {in: readStatus},
	"core.getJobStatusByDomainKey": {in: readStatusByKey},
	"dwh.createDwhIntegration":     {to: readTargets},
	"ingestion.ingestEvent":        {rest: readEvent},
}

// objects read what rules know of objects of a kind beyond that they are there, wherever an answer shows one, with the
// object that it stands in, if it is embedded.
var objects = map[Kind]func(e *Exchange, f *Shown, body, whole jsontree.Value){
	Pools: readPool, PoolRules: readRule, attempts: readAttempt, tasks: readTask,
	Tokens: readToken, SubUsers: readSubUser, jobs: readJob,
}

// Membership states that an entity is a part of another, and gone with it.
type Membership struct {
	Part, Parent Entity
	Sure         specs.Provenance // of it that the part is gone with the whole
}

// addMembership notes that an answer shows an entity to be a part of another.
func (e *Exchange) addMembership(part, whole Entity, sure specs.Provenance) {
	if part.ID != "" && whole.ID != "" {
		e.Memberships = append(e.Memberships, Membership{part, whole, sure})
	}
}

// IsOlderThan reports whether an entity was made before an exchange.
func (f *Shown) IsOlderThan(e *Exchange) bool {
	return !f.Born.IsZero() && f.Born.Before(e.EndedAt().Add(-time.Second))
}

// Origin differs where two entities have one id; it is 0 where that is not shown.
func (f *Shown) Origin() uint64 {
	if f.Born.IsZero() {
		return 0
	}
	return uint64(f.Born.Unix())
}

// IsDistinct reports whether an entity that is shown to two callers in the same way is one entity: it was not there
// from the beginning, as the default pool is.
func (f *Shown) IsDistinct(e *Exchange) bool {
	isDefault := slices.ContainsFunc(e.Pools, func(p Pool) bool { return p.IsDefault && p.ID == f.Entity.ID })
	return f.Mark != 0 && !isDefault
}
