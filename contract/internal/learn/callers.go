package learn

import (
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// caller describes the one who sends requests with an API key.
type caller struct {
	identity         string
	writes           int  // requests that import
	granted, refused int  // any others
	denied           bool // one was answered as with an unknown key
	isSub            bool // the list of sub users was refused
	isOpen           bool // one was refused that every user may send
	isAdmin          bool // one was allowed that only administrators may send
	isRefused        bool // one was refused that administrators may send
	user             *user
}

// isWriteOnly reports whether a key imports, and does nothing else: whatever else it asked for was refused. One that
// asked for the list of sub users, and for nothing that every user may do, is a sub user.
func (c *caller) isWriteOnly() bool {
	return c.granted == 0 && !c.denied && (c.isOpen || !c.isSub)
}

// guarded are parts of the names of core operations that may be refused for the sake of another user's things.
var guarded = []string{"JobResult", "createSchedule", "recoverTable", "BulkImport", "BulkLoad", "ApiKey", "Password"}

// isOpen reports whether every user may call an operation that has no need, also if what it is about is another user's.
func isOpen(o *specs.Operation) bool {
	switch o.Interface {
	case specs.LLM, specs.Workflow:
		return true
	case specs.Core:
		return !slices.ContainsFunc(guarded, func(part string) bool { return strings.Contains(o.ID, part) })
	}
	return strings.HasPrefix(o.ID, "list")
}

// count counts an exchange of a caller, which may have been refused for another reason than its rights.
func (c *caller) count(e *Exchange, isOtherwise bool) {
	kind := needOf[e.name()]
	switch {
	case e.Status() == http.StatusUnauthorized:
		c.denied = true
	case kind == toImport:
		c.writes++
	case e.Status() == http.StatusForbidden:
		c.refused++
		c.isSub = c.isSub || kind == toListSubs
		c.isOpen = c.isOpen || kind == 0 && isOpen(e.Operation())
		c.isRefused = c.isRefused || !isOtherwise && (kind != 0 || e.Operation().Interface == specs.LLM)
	default:
		c.granted++
		c.isAdmin = c.isAdmin || kind == toAdminister && e.ok()
	}
}

// callers lists who sent requests, in the order in which they first did.
func (p *people) callers() (list []*caller) {
	index := map[string]*caller{}
	for _, e := range p.exchanges {
		identity := e.Credential().Identity
		if identity == "" || strings.HasPrefix(identity, "malformed ") {
			continue
		}
		c := index[identity]
		if c == nil {
			c = &caller{identity: identity}
			index[identity], list = c, append(list, c)
		}
		c.count(e, p.isOtherwiseRefused(e))
		if c.user == nil && e.ok() {
			c.user = p.callerOf(e)
		}
	}
	return slices.DeleteFunc(list, func(c *caller) bool { return c.writes+c.granted+c.refused == 0 })
}

// callerOf returns the user who sent a request, as its answer shows, or nil.
func (p *people) callerOf(e *Exchange) *user {
	body, _ := e.JSONResponse()
	switch e.name() {
	case "llm.getCurrentUser":
		return p.see(body.Get("user"), nil)
	case "audience.createSegment", "audience.createActivation":
		if id := body.Get("createdBy.id").String(); id != "" {
			return p.get(id)
		}
	case "core.createSchedule":
		return p.named(body.Get("user_name").String())
	case "dwh.createDwhIntegration":
		if id := body.Get("user_id").String(); id != "" {
			return p.get(id)
		}
	case "core.listUsers":
		for _, u := range body.Get("users").Array() {
			if u.Get("me").Bool() {
				return p.get(u.Get("id").String())
			}
		}
	case "core.issueJob":
		job := p.things.find(jobKind, body.Get("job_id").String())
		if job != nil {
			if name, _ := job.value("user_name"); name.String() != "" {
				if u := p.named(name.String()); u != nil {
					return u
				}
				u := p.get("")
				u.name = name.String()
				return u
			}
		}
	}
	return nil
}
