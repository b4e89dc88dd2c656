package facts

import "svc.example/understudy/contract/report"

// exchange writes or reads an exchange, member by member, but for its site. So does each function below with a part of
// one: a member that one of them leaves out is lost.
func (c *coder) exchange(e *Exchange) {
	number(c, &e.Number)
	number(c, &e.Seq)
	number(c, &e.Overlaps)
	c.strings(&e.File, &e.World)
	number(c, &e.Epoch)
	text(c, &e.Address)
	c.truth(&e.Mock)
	c.strings(&e.Operation, &e.Method)
	c.hash(&e.Digest)
	c.time(&e.Start)
	c.time(&e.End)
	number(c, &e.Status)
	c.time(&e.Date)
	c.line(&e.Line)
	c.truth(&e.Forget)
	c.truth(&e.Own)
	c.truth(&e.Unordered)
	text(c, &e.Account)
	c.hash(&e.Caller)
	c.truth(&e.Keyed)
	c.truth(&e.Open)
	c.named(e)
	c.content(&e.Content)
}

func (c *coder) line(l *report.ExchangeLine) {
	number(c, &l.Exchange)
	c.strings(&l.Method, &l.URL)
	number(c, &l.Status)
	text(c, &l.File)
	number(c, &l.Line)
	number(c, &l.Entry)
	number(c, &l.Offset)
	c.strings(&l.Fault, &l.Guess)
	c.truth(&l.OnDisk)
}

// named codes what the path and the document say of an exchange.
func (c *coder) named(e *Exchange) {
	text(c, &e.Kind)
	number(c, &e.Verb)
	list(c, &e.MayCreate, text[Kind])
	c.thing(&e.Target)
	c.thing(&e.Parent)
	list(c, &e.Uses, (*coder).use)
	text(c, &e.ID)
	c.truth(&e.Opaque)
}

func (c *coder) thing(t *Thing) {
	text(c, &t.Kind)
	text(c, &t.ID)
}

func (c *coder) use(u *Use) {
	c.thing(&u.Thing)
	number(c, &u.Does)
}

func (c *coder) content(t *Content) {
	list(c, &t.Shows, (*coder).shown)
	c.truth(&t.Listed)
	c.truth(&t.Partial)
	optional(c, &t.Sought, (*coder).held)
	list(c, &t.Memberships, (*coder).membership)
	list(c, &t.Refers, (*coder).reference)
	list(c, &t.Kept, text[string])
	c.strings(&t.Word, &t.Answered)
	list(c, &t.Ignored, (*coder).member)
	list(c, &t.Contradictions, (*coder).contradiction)
	optional(c, &t.Walk, (*coder).walk)
	optional(c, &t.Slice, (*coder).slice)
	c.truth(&t.Repeatable)
	c.truth(&t.Overwrites)
	shared(c, &t.WorkflowContent, noWorkflow, (*coder).workflow)
	shared(c, &t.CoreContent, noCore, (*coder).core)
	optional(c, &t.Targets, (*coder).target)
	optional(c, &t.Ingested, (*coder).event)
	list(c, &t.Records, (*coder).record)
}

func (c *coder) shown(s *Shown) {
	c.thing(&s.Thing)
	number(c, &s.Does)
	list(c, &s.Aliases, text[string])
	text(c, &s.Ident)
	c.time(&s.Born)
	c.hash(&s.Mark)
	optional(c, &s.Object, (*coder).object)
	list(c, &s.Set, (*coder).setting)
}

func (c *coder) setting(s *Setting) {
	text(c, &s.Member)
	c.hash(&s.Value)
	c.truth(&s.IsText)
}

func (c *coder) object(o *Object) {
	text(c, &o.Row)
	list(c, &o.Holds, (*coder).held)
	list(c, &o.Once, (*coder).held)
	list(c, &o.Refers, (*coder).reference)
}

func (c *coder) held(h *Held) {
	c.strings(&h.Member, &h.Value)
}

func (c *coder) reference(r *Reference) {
	c.thing(&r.Thing)
	c.truth(&r.MustExist)
	text(c, &r.OnDelete)
	text(c, &r.Sure)
}

func (c *coder) membership(m *Membership) {
	c.thing(&m.Part)
	c.thing(&m.Parent)
	text(c, &m.Sure)
}

func (c *coder) member(m *Member) {
	c.strings(&m.Name, &m.Asked, &m.Answered)
}

func (c *coder) contradiction(x *Contradiction) {
	c.strings(&x.Aspect, &x.Message)
	text(c, &x.Provenance)
}

func (c *coder) walk(w *Walk) {
	c.hash(&w.Key)
	c.strings(&w.Asked, &w.Next)
}

func (c *coder) slice(s *Slice) {
	c.hash(&s.Key)
	number(c, &s.First)
	number(c, &s.End)
}

func (c *coder) workflow(w *WorkflowContent) {
	list(c, &w.Pools, (*coder).pool)
	list(c, &w.Rules, (*coder).rule)
	list(c, &w.Attempts, (*coder).attempt)
	list(c, &w.Tasks, (*coder).task)
	optional(c, &w.Starting, (*coder).start)
}

func (c *coder) pool(p *Pool) {
	text(c, &p.ID)
	number(c, &p.Limit)
	c.truth(&p.IsDefault)
}

func (c *coder) rule(r *PoolRule) {
	c.strings(&r.ID, &r.PoolID)
	number(c, &r.Priority)
	list(c, &r.Conditions, (*coder).condition)
}

func (c *coder) condition(d *Condition) {
	text(c, &d.Kind)
	text(c, &d.Operator)
	list(c, &d.Values, text[string])
}

func (c *coder) attempt(a *Attempt) {
	c.strings(&a.ID, &a.PoolID, &a.SessionID, &a.Retry, &a.Status, &a.Project, &a.Workflow, &a.SessionTime)
	number(c, &a.Index)
	c.truth(&a.Done)
	c.time(&a.FinishedAt)
	c.truth(&a.Embedded)
	text(c, &a.SessionUUID)
	c.hash(&a.SessionMark)
}

func (c *coder) task(t *Task) {
	c.strings(&t.FullName, &t.State)
}

func (c *coder) start(s *Start) {
	c.strings(&s.Retry, &s.SessionTime, &s.Mode, &s.AttemptID, &s.From)
}

func (c *coder) core(o *CoreContent) {
	list(c, &o.Tokens, (*coder).token)
	list(c, &o.Users, (*coder).user)
	list(c, &o.Jobs, (*coder).job)
	optional(c, &o.Issued, (*coder).issued)
	text(c, &o.AsUser)
	optional(c, &o.Page, (*coder).page)
	optional(c, &o.Recovered, (*coder).recovery)
	optional(c, &o.Keyholder, (*coder).issued)
	c.hash(&o.Dropped)
}

func (c *coder) token(t *Token) {
	c.strings(&t.ID, &t.Client, &t.User)
}

func (c *coder) user(u *SubUser) {
	c.strings(&u.ID, &u.Name)
}

func (c *coder) job(j *Job) {
	c.strings(&j.ID, &j.User, &j.Database, &j.Status)
	c.time(&j.At)
}

func (c *coder) issued(q *IssuedQuery) {
	c.strings(&q.ID, &q.DomainKey, &q.Database)
	c.truth(&q.Reads)
}

func (c *coder) page(p *DeletedPage) {
	c.strings(&p.Cursor, &p.Next)
	c.truth(&p.Cut)
	text(c, &p.Database)
	list(c, &p.Tables, (*coder).deleted)
}

func (c *coder) deleted(t *DeletedTable) {
	c.strings(&t.ID, &t.Name, &t.Database)
	c.time(&t.At)
	c.hash(&t.Mark)
}

func (c *coder) recovery(r *Recovery) {
	c.strings(&r.ID, &r.Name, &r.Database)
}

func (c *coder) target(t *LoadTarget) {
	text(c, &t.Database)
	list(c, &t.Tables, text[string])
}

func (c *coder) event(e *Event) {
	number(c, &e.Size)
	c.truth(&e.Coded)
	number(c, &e.Key)
	c.truth(&e.IsInQuery)
	optional(c, &e.Record, (*coder).record)
}

func (c *coder) record(r *Record) {
	number(c, &r.Time)
	list(c, &r.Values, (*coder).hash)
}
