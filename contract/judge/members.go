package judge

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A document may say that the members of a request's body can stand in the query instead. Both together are then the
// one object that is judged, the same whichever way its members came.

const jsonKind = "application/json"

// requestMessage is what the client sent, as it is to be judged.
func (r *Result) requestMessage() message {
	op := r.Operation()
	m := message{
		op: op, side: request, outcome: outcomeOf(r.status()), method: r.Item.Request.Method,
		headers: r.Item.Request.Headers, body: r.Item.Request.Body, doubt: r.Item.RequestDoubt,
		pointer: op.Pointer + "/requestBody",
	}
	if body := requestBodyOf(op); body != nil {
		m.content, m.required = body.Content, body.Required
		if specs.AlsoInQuery(body) {
			m.joinQuery(r.Owner.Query)
		}
	}
	return m
}

func requestBodyOf(op *specs.Operation) *openapi3.RequestBody {
	if op.Spec.RequestBody == nil {
		return nil
	}
	return op.Spec.RequestBody.Value
}

// joinQuery puts members that stand in the query into the body. What the body says comes before. A body that cannot be
// read is left as it is, to be told of.
func (m *message) joinQuery(query string) {
	schema := m.op.JSONBody()
	if schema == nil || m.doubt != "" {
		return
	}
	members := membersInQuery(m.op, query)
	bodiless := m.body == nil || len(m.body.Bytes) == 0
	if len(members) == 0 && (!bodiless || schema.VisitJSON(map[string]any{}) == nil) {
		return
	}
	object := specs.FormObject(schema, members)
	if !bodiless {
		own, ok := m.object()
		if !ok {
			return
		}
		for name := range own {
			delete(members, name)
		}
		maps.Copy(object, own)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return
	}
	m.bodiless = m.body == nil
	m.joined, m.sent = true, m.headers.Value("Content-Type")
	m.body, m.headers = &recording.Body{Bytes: text}, recording.Headers{{"Content-Type", jsonKind}}
	m.inQuery = slices.Sorted(maps.Keys(members))
}

// object is the body, when it is an object of a documented media type.
func (m *message) object() (map[string]any, bool) {
	header := m.headers.Value("Content-Type")
	media := m.content.Get(header)
	if media == nil {
		return nil, false
	}
	d, reason := decode(m, media, header)
	if reason != "" || len(d.values) != 1 {
		return nil, false
	}
	object, ok := d.values[0].(map[string]any)
	return object, ok
}

// membersInQuery is what of the query belongs into the body.
func membersInQuery(op *specs.Operation, query string) url.Values {
	if query == "" {
		return nil
	}
	values, _ := url.ParseQuery(query) // a query that cannot be read is told of with the parameters
	maps.DeleteFunc(values, func(name string, _ []string) bool { return !isMemberInQuery(op, name) })
	return values
}

func isMemberInQuery(op *specs.Operation, name string) bool {
	body := requestBodyOf(op)
	return body != nil && specs.AlsoInQuery(body) && specs.BodyMember(op.JSONBody(), name) != nil &&
		op.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil
}

// isInQuery reports whether the value at a path below the body came from the query.
func (m *message) isInQuery(path []string) bool {
	return len(path) > 0 && slices.ContainsFunc(m.inQuery, func(name string) bool {
		name, _, _ = strings.Cut(name, "[")
		return name == path[0]
	})
}

// instance is where in the exchange the value at a path below the body stands.
func (m *message) instance(base string, path []string) string {
	if m.isInQuery(path) {
		base = "/request/query"
	}
	return join(base, path...)
}
