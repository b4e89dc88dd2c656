package judge

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
)

// content is a body that could be read.
type content struct {
	*message
	*bodySchema
	decoded *body.Body
}

// judgeBody judges the body of a message, or repeats the judgement of the same one before.
func (j *Judge) judgeBody(m *message) *judgement {
	key := m.key()
	if known := j.messages.get(key); known != nil {
		return known
	}
	if m.mayBeLarge() {
		j.largeBody.Lock()
		defer j.largeBody.Unlock()
	}
	o := newJudgement()
	o.touched = m.touched()
	if b := j.readBody(o, m); b != nil {
		defer b.decoded.Free()
		results := j.askEngines(b)
		j.addFaults(o, m, results, j.compareEngines(m, results))
		j.judgeExpectedFields(o, b)
		j.judgeUndeclaredFields(o, b)
		j.judgeHiddenFields(o, b)
	}
	o.conclude()
	j.messages.put(key, o)
	return o
}

// readBody returns the body for the engines. It is nil if there is none, if it cannot be read, or if its schema is not
// documented.
func (j *Judge) readBody(o *judgement, m *message) *content {
	if fault := m.neverBody(); fault != "" {
		if m.body != nil && len(m.body.Bytes) > 0 {
			j.wrongBody(o, m, fault)
		}
		return nil
	}
	isThere, doubt := m.presence()
	if m.isCut(doubt) {
		o.skipCut()
		return nil
	}
	if doubt != "" {
		j.inconclusiveBody(o, m, doubt)
	}
	if !isThere {
		return nil
	}
	if !j.judgeMediaType(o, m) {
		return nil
	}
	return j.decodeBody(o, m)
}

// judgeMediaType judges the Content-Type, and reports whether it is documented.
func (j *Judge) judgeMediaType(o *judgement, m *message) bool {
	header, media := m.kind, m.form.media
	switch {
	case header == "" && media == nil && len(m.body.Bytes) == 0:
		j.emptyBody(o, m)
		return false
	case len(m.headers) == 0 && len(m.content) > 0:
		o.check(UndocumentedMediaType, report.Inconclusive)
		j.inconclusiveBody(o, m, "the recording has no headers, so the media type of the body is not known")
		return false
	case media == nil && header == "" && m.side == request && takesUntypedForms(m.op) && !IsPlain(string(m.body.Bytes)):
		o.check(UndocumentedMediaType, report.Inconclusive)
		j.inconclusiveBody(o, m, "the recording has a stand-in in place of a body, which may have been a form")
	case media == nil:
		o.check(UndocumentedMediaType, report.Fail)
		o.check(Schema, report.Skipped)
		o.unjudged = "its media type is not documented"
		j.addFinding(o, m, report.Finding{
			Rule: UndocumentedMediaType, Verdict: report.Fail, Message: m.mediaMessage(header),
			Pointer: "/" + m.side.String() + "/headers/Content-Type", Found: j.foundHeader(m, "Content-Type"),
			Spec: report.Spec{Pointer: m.pointer + "/content"},
		})
	default:
		o.check(UndocumentedMediaType, report.Pass)
	}
	return media != nil
}

// decodeBody decodes a body of a documented media type. It returns nil if the engines have nothing to judge.
func (j *Judge) decodeBody(o *judgement, m *message) *content {
	switch {
	case m.doubt != "":
		j.inconclusiveBody(o, m, m.doubt)
		return nil
	case len(m.body.Bytes) == 0 && m.form.isJSON:
		j.emptyBody(o, m)
		return nil
	case m.status == http.StatusPartialContent: // a span of the bytes, cut anywhere
		o.check(Schema, report.Skipped)
		o.check(UndeclaredField, report.Skipped)
		o.unjudged = "it is a partial response (206)"
		return nil
	}
	decoded, reason := m.decode()
	switch {
	case reason != "" && m.isFaulty:
		o.skipCut()
		return nil
	case decoded.Broken && (m.isWhole() || !decoded.Early && !m.mayBeEdited()):
		j.wrongBody(o, m, reason)
		return nil
	case reason != "":
		j.inconclusiveBody(o, m, reason)
		return nil
	}
	o.touched = m.touch(o.touched, decoded)
	o.judged, o.isBody, o.isJSON = 1, true, m.text != ""
	schema := m.form.schema(decoded)
	if schema == nil {
		o.check(Schema, report.Pass)
		return nil
	}
	return &content{message: m, bodySchema: schema, decoded: decoded}
}

// decode decodes the body, unless it was read as JSON already.
func (m *message) decode() (*body.Body, string) {
	if m.isReading {
		return body.ReadJSON(m.body.Bytes)
	}
	plain, reason := m.codings.Undo(m.headers, m.body)
	if reason != "" {
		return &body.Body{}, reason
	}
	decoded, reason := m.form.format.Read(plain)
	if len(plain) == len(decoded.Text) { // no mark was cut, and no charset converted
		m.text = decoded.Text
	}
	return decoded, reason
}

func (j *Judge) emptyBody(o *judgement, m *message) {
	j.wrongBody(o, m, fmt.Sprintf("the %s body is empty, but one is documented", m.side))
}

// wrongBody adds a finding on a body that does not have its media type or is missing, whatever its schema.
func (j *Judge) wrongBody(o *judgement, m *message, reason string) {
	o.judged, o.isBody = 1, true
	o.check(Schema, report.Fail)
	j.addFinding(o, m, report.Finding{
		Rule: Schema, Verdict: report.Fail, Message: reason,
		Pointer: "/" + m.side.String() + "/body", Spec: report.Spec{Pointer: m.pointer + "/content"},
	})
}
