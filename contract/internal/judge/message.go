package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// message is a request or a response, with what is documented for its body.
type message struct {
	op       *specs.Operation
	side     side
	status   int // of the response
	outcome  outcome
	method   string
	headers  recording.Headers
	body     *recording.Body
	doubt    string
	content  openapi3.Content
	required bool
	pointer  string // of what is documented: a request body or a response

	inQuery  []string // members of the body that stand in the query
	bodiless bool     // the recording holds no body: what there is stands in the query
	joined   bool     // the body is not what was sent, but the JSON that it was read as
	sent     string   // Content-Type of a body that was read so

	sampled bool // the second engine judges it, whatever the first one says

	documented string // under which status a response is documented
	codings    *body.Codings
}

// judgeBody judges the body of a message, or repeats the judgement of the same one before.
func (j *Judge) judgeBody(r *Result, m message) {
	m.sampled = r.sampled
	key := m.key()
	said := j.messages.get(key)
	if said == nil {
		said = j.judgeMessage(&m)
		j.messages.put(key, said)
	}
	r.take(said)
}

func (j *Judge) judgeMessage(m *message) *judgement {
	o := &judgement{touched: m.touched()}
	switch {
	case m.body == nil && m.doubt != "" && len(m.content) > 0:
		j.inconclusiveBody(o, m, m.doubt)
	case m.body == nil && m.required:
		j.inconclusiveBody(o, m, "the recording does not contain the body, and one is documented")
	case m.body == nil, len(m.body.Bytes) == 0 && !m.required && m.doubt == "":
	case len(m.content) == 0 && len(m.body.Bytes) == 0:
	default:
		j.mediaType(o, m)
	}
	return o.conclude()
}

// mediaType judges the Content-Type, and the body if it is a documented one.
func (j *Judge) mediaType(o *judgement, m *message) {
	header := m.headers.Value("Content-Type")
	media := m.documentedMedia()
	if header == "" && media == nil && len(m.body.Bytes) == 0 {
		j.empty(o, m)
		return
	}
	if len(m.headers) == 0 && len(m.content) > 0 {
		o.check(UndocumentedMediaType, report.Inconclusive)
		j.inconclusiveBody(o, m, "the recording has no headers, so the media type of the body is not known")
		return
	}
	if media == nil {
		o.check(UndocumentedMediaType, report.Fail)
		o.check(Schema, report.Skipped)
		o.unjudged = "its media type is not documented"
		j.addFinding(o, m, report.Finding{
			Rule: UndocumentedMediaType, Verdict: report.Fail, Message: m.mediaMessage(header),
			Pointer: "/" + m.side.String() + "/headers/Content-Type", Found: j.foundHeader(m, "Content-Type"),
			Spec: report.Spec{Pointer: m.pointer + "/content"},
		})
		return
	}
	o.check(UndocumentedMediaType, report.Pass)
	if m.doubt != "" {
		j.inconclusiveBody(o, m, m.doubt)
		return
	}
	if len(m.body.Bytes) == 0 && body.IsJSON(body.MediaType(header)) && !body.IsLined(media) { // no lines are fine
		j.empty(o, m)
		return
	}
	j.content(o, m, media, header)
}

func (m *message) mediaMessage(header string) string {
	documented := slices.Sorted(maps.Keys(m.content))
	switch {
	case len(documented) == 0:
		return fmt.Sprintf("the %s has a body, but none is documented", m.side)
	case header == "":
		return fmt.Sprintf("the %s has no Content-Type; documented: %s", m.side, strings.Join(documented, ", "))
	}
	return fmt.Sprintf("the %s has Content-Type %q; documented: %s", m.side, header, strings.Join(documented, ", "))
}
