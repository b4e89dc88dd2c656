package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// An answer may be an envelope of resources, as JSON:API has it: one resource, or a page of a collection. What such an
// answer says in several places must agree, within itself and with the request, which no schema can state. Whether it
// is an envelope shows in its schema alone.

// form is the kind of envelope that a schema gives its answers.
type form int

const (
	noEnvelope form = iota
	oneResource
	pageOfMany
)

// formMemo remembers the forms of schemas.
type formMemo struct{ forms sync.Map } // *openapi3.Schema → form

func (m *formMemo) of(schema *openapi3.Schema) form {
	if known, ok := m.forms.Load(schema); ok {
		return known.(form)
	}
	declares := func(path ...string) bool { return len(way{schema: schema}.to(path...)) > 0 }
	f := noEnvelope
	switch {
	case declares("data", "0") && declares("meta", "total") && declares("links", "first"):
		f = pageOfMany
	case declares("data", "id") && declares("data", "type"):
		f = oneResource
	}
	m.forms.Store(schema, f)
	return f
}

// envelope is an answer whose schema is that of an envelope.
type envelope struct {
	*message
	j         *Judge
	r         *Result
	media     *openapi3.MediaType
	schema    way
	body      gjson.Result
	read      *content // the same, when a value of it is to be shown
	judgement judgement
}

// envelope judges what an answer says of itself. Another rule reports one that cannot be read.
func (j *Judge) envelope(r *Result, m *message) {
	media := m.content.Get(m.headers.Value("Content-Type"))
	if media == nil || media.Schema == nil || media.Schema.Value == nil || m.doubt != "" {
		return
	}
	form := j.envelopes.of(media.Schema.Value)
	if form == noEnvelope {
		return
	}
	body, ok := r.JSONResponse()
	if !ok {
		return
	}
	pointer := join(m.pointer+"/content", documentedMedia(m.content, media)) + "/schema"
	x := &envelope{message: m, j: j, r: r, media: media, schema: way{media.Schema.Value, pointer}, body: body}
	isPage := form == pageOfMany
	primary := []gjson.Result{x.body.Get("data")}
	if isPage {
		primary = primary[0].Array()
		x.page(len(primary))
	} else {
		x.identity(primary[0])
	}
	for i, one := range primary {
		at := []string{"data"}
		if isPage {
			at = append(at, fmt.Sprint(i))
		}
		x.self(at, one)
	}
	x.included(primary)
	x.conclude()
}

func (x *envelope) conclude() {
	verdict := report.Pass
	if len(x.judgement.findings) > 0 {
		verdict = report.Fail
	}
	x.judgement.check(Schema, verdict)
	x.r.add(x.judgement.conclude())
}

// fault reports a disagreement at a path below the body.
func (x *envelope) fault(p specs.Provenance, path []string, format string, args ...any) {
	if x.judgement.isFull(Schema) {
		x.judgement.omit(Schema, 1)
		return
	}
	pointer := x.schema.pointer
	for i := len(path); i > 0 && pointer == x.schema.pointer; i-- {
		if ways := x.schema.to(path[:i]...); len(ways) > 0 {
			pointer = ways[0].pointer
		}
	}
	x.j.addFinding(&x.judgement, x.message, report.Finding{
		Rule: Schema, Verdict: report.Fail, Message: fmt.Sprintf(format, args...), Provenance: p,
		Pointer: join("/response/body", path...), Found: x.found(path), Spec: report.Spec{Pointer: pointer},
	})
}

// found is the value at a path of the answer, as a finding shows it.
func (x *envelope) found(path []string) string {
	if x.read == nil {
		value, err := body.DecodeJSON([]byte(x.body.Raw))
		if err != nil {
			return ""
		}
		x.read = &content{message: x.message, media: x.media, decoded: body.Decoded{Values: []any{value}}}
	}
	return x.j.foundAt(x.read, path)
}

// identity compares the id of a resource with that of the path.
func (x *envelope) identity(one gjson.Result) {
	name, isParameter := strings.CutSuffix(x.op.Path[strings.LastIndexByte(x.op.Path, '/')+1:], "}")
	if !isParameter || x.status >= 300 {
		return
	}
	asked, id := x.r.Owner.Match.Param(strings.TrimPrefix(name, "{")), one.Get("id")
	if id.Exists() && !isRedacted(asked) && !strings.EqualFold(asked, id.String()) {
		x.fault(specs.Public, []string{"data", "id"}, "the id of the resource differs from the id in the path")
	}
}

// self looks whether the address of a resource ends in its type and id.
func (x *envelope) self(at []string, one gjson.Result) {
	self, name, id := one.Get("links.self"), one.Get("type").String(), one.Get("id").String()
	u, err := url.Parse(self.String())
	if self.Type != gjson.String || err != nil || name == "" || id == "" || isRedacted(self.String()) {
		return
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	isOwn := len(segments) > 1 && strings.EqualFold(segments[len(segments)-1], id) &&
		slices.Contains([]string{name, snake(name)}, segments[len(segments)-2])
	if !isOwn {
		x.fault(specs.Public, append(slices.Clone(at), "links", "self"),
			"the link to a resource does not end in its type and id")
	}
}

// snake is a type as paths spell it: agentSchedules is agent_schedules.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// included looks at the resources that come along: each once, and each because another one refers to it.
func (x *envelope) included(primary []gjson.Result) {
	list := x.body.Get("included")
	if !list.IsArray() {
		return
	}
	included := list.Array()
	referred := map[[2]string]bool{}
	for _, one := range slices.Concat(primary, included) {
		one.Get("relationships").ForEach(func(_, relation gjson.Result) bool {
			for _, target := range relation.Get("data").Array() { // one is a list of one
				referred[identityOf(target)] = true
			}
			return true
		})
	}
	seen := map[[2]string]bool{}
	for i, one := range included {
		at, who := []string{"included", fmt.Sprint(i)}, identityOf(one)
		switch {
		case seen[who]:
			x.fault(specs.Public, at, "a resource of type %q is included twice", ownership.ShownSegment(who[0]))
		case !referred[who]:
			x.fault(specs.Public, at, "an included resource of type %q is not referenced", ownership.ShownSegment(who[0]))
		}
		seen[who] = true
		x.self(at, one)
	}
}

func identityOf(one gjson.Result) [2]string {
	return [2]string{one.Get("type").String(), one.Get("id").String()}
}

// isPlain reports whether a recorder left a value as it was.
func isPlain(value gjson.Result) bool {
	return value.Type == gjson.String && !strings.Contains(value.String(), recording.Mark)
}
