package learn

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs"
)

// user is a user of the account, as answers show one.
type user struct {
	id, name, email, role, parent  string
	createdAt, updatedAt           string
	policies                       []string // ids
	permissions                    gjson.Result
	options                        map[string]string
	isMade, isGuessed, isDelegated bool
}

func (u *user) ref() string { return cmp.Or(u.email, u.name) }

// people are the users of the account, and who of them sent which requests.
type people struct {
	*learner
	users []*user
	keys  []Key
	byKey map[string]*user // by identity
}

// caller is what the recording shows of an identity.
type caller struct {
	identity                   string
	writes, reads              int // exchanges with ingestion, and with anything else
	forbidden, granted, denied int
	isAdmin                    bool
	user                       *user
}

func (l *learner) findPeople() *people {
	p := &people{learner: l, byKey: map[string]*user{}}
	for _, kind := range []string{"core.user", "core.sub-user", "core.access-control-user"} {
		for _, t := range l.things.all(kind) {
			for _, s := range t.sights {
				p.see(s.object, t)
			}
		}
	}
	for _, e := range l.exchanges {
		if body, ok := e.JSONResponse(); ok && e.ok() {
			p.seeIn(e, body)
		}
	}
	for _, e := range l.exchanges {
		if email := param(e, "user_email"); email != "" && e.Status() != http.StatusNotFound && p.named(email) == nil {
			p.get("").email = email
		}
	}
	callers := p.callers()
	p.nameCallers(callers)
	p.giveKeys(callers)
	return p
}

// get returns the user with an id.
func (p *people) get(id string) *user {
	for _, u := range p.users {
		if u.id == id && id != "" {
			return u
		}
	}
	u := &user{id: id, options: map[string]string{}}
	p.users = append(p.users, u)
	return u
}

// named returns the user with a name or an e-mail address, or nil.
func (p *people) named(text string) *user {
	for _, u := range p.users {
		if text != "" && (u.email == text || u.name == text) {
			return u
		}
	}
	return nil
}

// see takes an object that describes a user.
func (p *people) see(o gjson.Result, t *thing) *user {
	id := cmp.Or(o.Get("user_id").String(), o.Get("id").String())
	if id == "" {
		return nil
	}
	u := p.get(id)
	u.isMade = u.isMade || t != nil && !t.wasThere()
	u.name = cmp.Or(u.name, o.Get("name").String())
	u.email = cmp.Or(u.email, o.Get("email").String())
	u.createdAt = cmp.Or(u.createdAt, timeOf(o.Get("created_at")))
	u.updatedAt = cmp.Or(u.updatedAt, timeOf(o.Get("updated_at")))
	if parent := o.Get("parent_user_id"); parent.Exists() {
		u.parent, u.role = parent.String(), "sub_user"
		p.get(u.parent)
	}
	switch {
	case u.role != "":
	case o.Get("restricted").Bool():
		u.role = "restricted"
	case o.Get("administrator").Bool():
		u.role = "administrator"
	}
	if policies := o.Get("policies"); policies.IsArray() && u.policies == nil {
		u.policies = []string{}
		for _, policy := range policies.Array() {
			u.policies = append(u.policies, policy.Get("id").String())
		}
	}
	if permissions := o.Get("permissions"); permissions.IsObject() && !u.permissions.Exists() {
		u.permissions = permissions
	}
	return u
}

// seeIn takes the users that answers mention beside what they are about.
func (p *people) seeIn(e *Exchange, body gjson.Result) {
	var mentions []gjson.Result
	body.ForEach(func(name, value gjson.Result) bool {
		switch name.String() {
		case "user", "createdBy", "updatedBy":
			mentions = append(mentions, value)
		case "revisions", "oauth_tokens":
			for _, item := range value.Array() {
				mentions = append(mentions, item.Get("userInfo.svc.user"))
				if item.Get("user_email").String() != "" {
					u := p.get(item.Get("user_id").String())
					u.email = cmp.Or(u.email, item.Get("user_email").String())
				}
			}
		}
		return true
	})
	if body.IsArray() && e.Operation().Interface == specs.Audience {
		for _, item := range body.Array() {
			mentions = append(mentions, item.Get("createdBy"), item.Get("updatedBy"))
		}
	}
	for _, mention := range mentions {
		if mention.Get("id").Exists() {
			p.see(mention, nil)
		}
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
		c.isAdmin = c.isAdmin || e.ok() && isForAdministrators(e.name())
		switch {
		case e.Status() == http.StatusUnauthorized:
			c.denied++
			continue
		case e.Status() == http.StatusForbidden:
			c.forbidden++
		case e.ok():
			c.granted++
		}
		if e.Operation().Interface == specs.Ingestion {
			c.writes++
		} else {
			c.reads++
		}
		if c.user == nil && e.ok() {
			c.user = p.callerOf(e)
		}
	}
	return slices.DeleteFunc(list, func(c *caller) bool { return c.writes+c.reads == 0 })
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

// role returns the role that explains what a caller was allowed to do.
func (c *caller) role() string {
	if c.forbidden > 0 && !c.isAdmin {
		return "restricted"
	}
	return "administrator"
}

// isForAdministrators reports whether only administrators may call an operation.
func isForAdministrators(name string) bool {
	switch name {
	case "core.createPolicy", "core.updatePolicy", "core.deletePolicy", "core.exportPolicies", "core.listPolicies",
		"core.updateUserPermissions", "core.attachPolicyToUser", "core.createPolicyGroup", "core.listSubUsers",
		"workflow.createPool", "workflow.updatePool", "workflow.deletePool", "workflow.createPoolRule", "core.addUser":
		return true
	}
	return false
}

// nameCallers finds a user for each caller whom no answer names.
func (p *people) nameCallers(callers []*caller) {
	for _, c := range callers {
		if c.user != nil || c.reads == 0 {
			continue
		}
		taken := func(u *user) bool {
			return u.isMade || slices.ContainsFunc(callers, func(o *caller) bool { return o.user == u })
		}
		role := c.role()
		i := slices.IndexFunc(p.users, func(u *user) bool { return !taken(u) && u.role == role })
		if i < 0 && role == "administrator" {
			i = slices.IndexFunc(p.users, func(u *user) bool { return !taken(u) && u.role == "" && u.name != "" })
		}
		if i >= 0 {
			c.user = p.users[i]
			continue
		}
		c.user = p.get("")
		c.user.isGuessed = true
		c.user.role = role
	}
	for _, c := range callers {
		if c.user != nil && c.user.role == "" {
			c.user.role = c.role()
		}
	}
	p.complete()
}

// complete gives each user what a fixture needs.
func (p *people) complete() {
	if !slices.ContainsFunc(p.users, func(u *user) bool { return u.role == "administrator" && !u.isMade }) {
		i := slices.IndexFunc(p.users, func(u *user) bool { return u.role == "" && !u.isMade })
		if i < 0 {
			p.get("").isGuessed = true
			i = len(p.users) - 1
		}
		p.users[i].role = "administrator"
	}
	next := int64(0)
	for _, u := range p.users {
		next = max(next, number(u.id))
	}
	for _, u := range p.users {
		if u.id == "" {
			next++
			u.id = fmt.Sprint(next)
			u.isGuessed = true
		}
		u.role = cmp.Or(u.role, "administrator")
		if u.name == "" {
			u.name, u.isGuessed = "User "+u.id, true
		}
		if u.email == "" && u.role != "sub_user" {
			u.email, u.isGuessed = "user"+u.id+"@account.example", true
		}
	}
	slices.SortStableFunc(p.users, func(a, b *user) int { return cmp.Compare(number(a.id), number(b.id)) })
}

// giveKeys gives each caller a key: 1/admin to the first administrator, 1/write to who only sends events.
func (p *people) giveKeys(callers []*caller) {
	admin := ""
	for _, u := range p.users {
		if admin == "" && u.role == "administrator" && !u.isMade {
			admin = u.ref()
		}
	}
	add := func(name, user, identity string) {
		key := "1/" + name
		for n := 2; slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == key && k.User != user }); n++ {
			key = fmt.Sprintf("1/%s%d", name, n)
		}
		i := slices.IndexFunc(p.keys, func(k Key) bool { return k.Key == key })
		if i < 0 {
			p.keys = append(p.keys, Key{Key: key, User: user})
			i = len(p.keys) - 1
		}
		if identity != "" {
			p.keys[i].Recorded = append(p.keys[i].Recorded, compare.KeyDigest(identity))
		}
	}
	for _, c := range callers {
		switch {
		case c.reads == 0:
			add("write", admin, c.identity)
		case c.user.isMade:
		case c.user.role == "administrator" && !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }),
			c.user.ref() == admin:
			add("admin", c.user.ref(), c.identity)
		default:
			add(word(c.user.ref()), c.user.ref(), c.identity)
		}
		p.byKey[c.identity] = c.user
	}
	if !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }) {
		add("admin", admin, "")
	}
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

// isAdministrator reports whether the caller of an exchange may see everything.
func (p *people) isAdministrator(e *Exchange) bool {
	u := p.byKey[e.Credential().Identity]
	return u != nil && u.role == "administrator"
}

// refer returns the name by which things refer to a user that an answer mentions, or the empty text.
func (p *people) refer(mention gjson.Result) string {
	for _, u := range p.users {
		if id := mention.Get("id").String(); id != "" && u.id == id {
			return u.ref()
		}
	}
	return p.referByName(mention.Get("name").String())
}

// referByName returns the name by which things refer to a user of a name.
func (p *people) referByName(name string) string {
	if u := p.named(name); u != nil {
		return u.ref()
	}
	return ""
}
