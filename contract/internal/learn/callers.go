package learn

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// caller describes the one who sends requests with an API key.
type caller struct {
	identity         string
	granted, refused int  // requests that do not import
	isDenied         bool // one was answered as with an unknown key
	isSub            bool // the list of sub users was refused
	isLess           bool // an answer shows less than administrators see
	user             *user
	isKnown          bool // an answer says who the user is
}

// importsWith reports whether a request may be sent with a key that is write-only.
func importsWith(e *Exchange) bool {
	id := e.Operation().ID
	return e.Operation().Interface == specs.Ingestion || strings.HasPrefix(id, "import") || id == "createBulkImport"
}

// protecting lists the operations that may be refused for another reason than the caller's rights.
var protecting = []string{"core.deleteDatabase", "core.deleteTable", "core.transferTable"}

// count counts an exchange of a caller. Entities that are protected may not be deleted, whoever asks.
func (p *people) count(c *caller, e *Exchange) {
	switch {
	case e.Status() == http.StatusUnauthorized:
		c.isDenied = true
	case importsWith(e):
	case e.Status() == http.StatusForbidden && slices.Contains(protecting, e.name()):
	case e.Status() == http.StatusForbidden:
		c.refused++
		c.isSub = c.isSub || e.name() == "core.listSubUsers"
	default:
		c.granted++
	}
	if body := e.answer(); body.Exists() && e.ok() {
		for _, f := range p.rightsIn(e, body).facts {
			_, permission, _ := strings.Cut(f.text, " ")
			c.isLess = c.isLess || f.what == databasesOf && permission != "" && !strings.HasPrefix(permission, administrator)
		}
	}
}

// findCallers lists who sent requests, in the order in which they first did.
func (p *people) findCallers() (list []*caller) {
	index := map[string]*caller{}
	imported := map[*caller]bool{}
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
		p.count(c, e)
		imported[c] = imported[c] || importsWith(e)
		if c.user == nil && e.ok() {
			c.user = p.callerOf(e)
			c.isKnown = c.user != nil
		}
	}
	return slices.DeleteFunc(list, func(c *caller) bool { return c.granted+c.refused == 0 && !imported[c] })
}

// ownIDs are the places at which answers show the id of their caller.
var ownIDs = map[string]string{
	"audience.createSegment": "createdBy.id", "audience.createActivation": "createdBy.id",
	"dwh.createDwhIntegration": "user_id",
}

// callerOf returns the user who sent a request, as its answer shows, or nil.
func (p *people) callerOf(e *Exchange) *user {
	body := e.answer()
	switch name := e.name(); {
	case name == "llm.getCurrentUser":
		return p.see(body.Get("user"), nil)
	case ownIDs[name] != "":
		if id := get(body, ownIDs[name]).Text(); id != "" {
			return p.get(id)
		}
	case name == "core.listUsers":
		for u := range body.Get("users").List {
			if u.Get("me").Bool() && u.Get("id").Exists() {
				return p.get(u.Get("id").Text())
			}
		}
	case name == "core.createSchedule":
		return p.named(body.Get("user_name").Text())
	case name == "core.issueJob":
		if job := p.entities.find(jobKind, body.Get("job_id").Text()); job != nil {
			shown, _ := job.value("user_name")
			return p.owner(shown.Text())
		}
	}
	return nil
}

// giveKeys gives each caller a key: 1/admin to the first administrator, 1/write to who only sends events.
func (p *people) giveKeys() {
	admin := userLike(p.users, func(u *user) bool { return u.role == administrator && !u.isMade }).ref()
	add := func(name, user, identity string) {
		key := "1/" + name
		for n := 2; slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == key && k.User != user }); n++ {
			key = fmt.Sprintf("1/%s%d", name, n)
		}
		i := slices.IndexFunc(p.keys, func(k Key) bool { return k.Key == key })
		if i < 0 {
			i, p.keys = len(p.keys), append(p.keys, Key{Key: key, User: user})
		}
		if identity != "" {
			p.keys[i].Recorded = append(p.keys[i].Recorded, p.keyDigest(identity))
		}
	}
	for _, c := range p.callers {
		u := p.byKey[c.identity]
		switch {
		case p.begin.first(imports, c.identity) != "":
			add("write", admin, c.identity)
		case u == nil, u.isMade:
		case u.role == administrator && !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }),
			u.ref() == admin:
			add("admin", u.ref(), c.identity)
		default:
			add(word(u.ref()), u.ref(), c.identity)
		}
	}
	if !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }) {
		add("admin", admin, "")
	}
}

// keyDigest returns the digest by which a recorded key is known: that of its mark, where there is a salt for all
// recordings.
func (l *learner) keyDigest(identity string) string {
	if l.Salt != nil && identity != "" {
		identity = (&recording.Redactor{Salt: l.Salt}).Hash(identity)
	}
	return compare.KeyDigest(identity)
}

// word makes the name of a key out of that of a user.
func word(ref string) string {
	name, _, _ := strings.Cut(strings.ToLower(ref), "@")
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(name, "-"), "user")
}
