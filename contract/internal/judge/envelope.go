package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
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

// envelopeForm is the form of envelope that a schema describes.
type envelopeForm int

const (
	noEnvelope envelopeForm = iota
	oneResource
	pageOfMany
)

func envelopeOf(schema *openapi3.Schema) envelopeForm {
	declares := func(path ...string) bool { return len(locatedSchema{schema: schema}.below(path...)) > 0 }
	switch {
	case declares("data", "0") && declares("meta", "total") && declares("links", "first"):
		return pageOfMany
	case declares("data", "id") && declares("data", "type"):
		return oneResource
	}
	return noEnvelope
}

// envelope is an answer whose schema is that of an envelope.
type envelope struct {
	*message
	j         *Judge
	r         *Result
	whole     *bodySchema
	body      gjson.Result
	read      *content // the same body, decoded once a value of it is to be shown
	judgement judgement
}

// judgeEnvelope checks that the parts of an answer agree. An answer that cannot be read is reported elsewhere.
func (j *Judge) judgeEnvelope(r *Result, m *message) {
	schema := m.form.whole
	if schema == nil || schema.envelope == noEnvelope || m.doubt != "" {
		return
	}
	body, ok := r.JSONResponse()
	if !ok {
		return
	}
	x := &envelope{message: m, j: j, r: r, whole: schema, body: body}
	isPage := schema.envelope == pageOfMany
	primary := []gjson.Result{x.body.Get("data")}
	if isPage {
		primary = primary[0].Array()
		x.page(len(primary))
	} else {
		x.resourceID(primary[0])
	}
	for i, one := range primary {
		at := []string{"data"}
		if isPage {
			at = append(at, fmt.Sprint(i))
		}
		x.selfLink(at, one)
	}
	x.includedResources(primary)
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

// addFault adds a finding on a disagreement at a path below the body.
func (x *envelope) addFault(p specs.Provenance, path []string, format string, args ...any) {
	if x.judgement.isFull(Schema) {
		x.judgement.omit(Schema, 1)
		return
	}
	root := locatedSchema{x.whole.media.Schema.Value, x.whole.schemaPointer}
	pointer := root.pointer
	for i := len(path); i > 0 && pointer == root.pointer; i-- {
		if schemas := root.below(path[:i]...); len(schemas) > 0 {
			pointer = schemas[0].pointer
		}
	}
	x.j.addFinding(&x.judgement, x.message, report.Finding{
		Rule: Schema, Verdict: report.Fail, Message: fmt.Sprintf(format, args...), Provenance: p,
		Pointer: join("/response/body", path...), Found: x.foundAt(path), Spec: report.Spec{Pointer: pointer},
	})
}

// foundAt returns the value at a path of the answer, as a finding shows it.
func (x *envelope) foundAt(path []string) string {
	if x.read == nil {
		decoded, reason := body.ReadJSON([]byte(x.body.Raw))
		if reason != "" {
			return ""
		}
		x.read = &content{message: x.message, bodySchema: x.whole, decoded: decoded}
	}
	return x.j.foundAt(x.read, path)
}

// resourceID compares the id of a resource with the id in the path.
func (x *envelope) resourceID(one gjson.Result) {
	name, isParameter := strings.CutSuffix(x.op.Path[strings.LastIndexByte(x.op.Path, '/')+1:], "}")
	if !isParameter || x.status >= 300 {
		return
	}
	asked, id := x.r.Owner.Match.Param(strings.TrimPrefix(name, "{")), one.Get("id")
	if id.Exists() && !isRedacted(asked) && !strings.EqualFold(asked, id.String()) {
		x.addFault(specs.Public, []string{"data", "id"}, "the id of the resource differs from the id in the path")
	}
}

// selfLink checks that the link of a resource to itself ends in its type and id.
func (x *envelope) selfLink(at []string, one gjson.Result) {
	self, name, id := one.Get("links.self"), one.Get("type").String(), one.Get("id").String()
	u, err := url.Parse(self.String())
	if self.Type != gjson.String || err != nil || name == "" || id == "" || isRedacted(self.String()) {
		return
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	isOwn := len(segments) > 1 && strings.EqualFold(segments[len(segments)-1], id) &&
		slices.Contains([]string{name, snakeCase(name)}, segments[len(segments)-2])
	if !isOwn {
		x.addFault(specs.Public, append(slices.Clone(at), "links", "self"),
			"the link to a resource does not end in its type and id")
	}
}

// snakeCase returns a type as paths spell it: agent_schedules for agentSchedules.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// includedResources checks that each included resource is there once, and that another resource refers to it.
func (x *envelope) includedResources(primary []gjson.Result) {
	list := x.body.Get("included")
	if !list.IsArray() {
		return
	}
	included := list.Array()
	referred := map[[2]string]bool{}
	for _, one := range slices.Concat(primary, included) {
		one.Get("relationships").ForEach(func(_, relation gjson.Result) bool {
			for _, target := range relation.Get("data").Array() { // one is a list of one
				referred[resourceKey(target)] = true
			}
			return true
		})
	}
	listed := map[[2]string]bool{}
	for i, one := range included {
		at, who := []string{"included", fmt.Sprint(i)}, resourceKey(one)
		switch {
		case listed[who]:
			x.addFault(specs.Public, at, "a resource of type %q is included twice", ownership.ShownSegment(who[0]))
		case !referred[who]:
			x.addFault(specs.Public, at, "an included resource of type %q is not referenced", ownership.ShownSegment(who[0]))
		}
		listed[who] = true
		x.selfLink(at, one)
	}
}

func resourceKey(one gjson.Result) [2]string {
	return [2]string{one.Get("type").String(), one.Get("id").String()}
}

// isPlain reports whether a value is a text that the recorder left unchanged.
func isPlain(value gjson.Result) bool {
	return value.Type == gjson.String && !strings.Contains(value.String(), recording.Mark)
}
