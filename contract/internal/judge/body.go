package judge

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs/recording"
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
		if m.read == nil {
			defer b.decoded.Free()
		}
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
	o.judged, o.isBody = 1, true
	schema := m.form.schema(decoded)
	if schema == nil {
		o.check(Schema, report.Pass)
		return nil
	}
	return &content{message: m, bodySchema: schema, decoded: decoded}
}

// decode decodes the body, unless it was read as JSON already.
func (m *message) decode() (decoded *body.Body, reason string) {
	plain, read := m.body.Bytes, body.ReadJSON
	if !m.isReading {
		if plain, reason = m.codings.Undo(m.headers, m.body); reason != "" {
			return &body.Body{}, reason
		}
		read = m.form.format.Read
	}
	decoded, reason = read(plain)
	if decoded.Text != "" && len(plain) == len(decoded.Text) { // no mark was cut, and no charset converted
		m.read = decoded
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

// mediaFor returns what is documented for a Content-Type, or nil: by the key that says most of it, a range such as
// application/* last. Names of types and of parameters are case-insensitive, blanks do not count, and neither does
// quoting (RFC 9110, 8.3.1). A key with a parameter is for messages that state the same; one that states no such
// parameter, or another charset, still has the type.
func mediaFor(content openapi3.Content, header string) *openapi3.MediaType {
	kind, stated, err := mime.ParseMediaType(header)
	if err != nil {
		return content.Get(header)
	}
	var best *openapi3.MediaType
	most := -1
	for _, key := range slices.Sorted(maps.Keys(content)) {
		if n := agreement(key, kind, stated); n > most {
			best, most = content[key], n
		}
	}
	return best
}

// agreement returns how much of a Content-Type a key of a document says, or a negative number if it is for others.
func agreement(key, kind string, stated map[string]string) int {
	const ofType, ofRange = 1000, 500
	wanted, parameters, err := mime.ParseMediaType(key)
	switch {
	case err != nil:
		return -1
	case wanted == "*/*":
		return 0
	case strings.HasSuffix(wanted, "/*"), strings.Contains(wanted, "/*+"): // that of a suffix is what frameworks write
		before, after, _ := strings.Cut(wanted, "*")
		if !strings.HasPrefix(kind, before) || !strings.HasSuffix(kind, after) {
			return -1
		}
		return ofRange + len(after)
	case wanted != kind:
		return -1
	}
	n := ofType
	for name, value := range parameters {
		switch got, has := stated[name]; {
		case has && strings.EqualFold(got, value):
			n++
		case has && name != "charset":
			return -1
		default:
			n--
		}
	}
	return n
}

// JSONRequest reads the request's body into a tree, when the recording holds it whole: as JSON, or as the JSON that a
// form and members in the query stand for. The value is not there if the body is none.
func (r *Result) JSONRequest(into *jsontree.Tree) jsontree.Value {
	if read := r.read[request]; read != nil {
		return into.Use(read.Value, read.Text)
	}
	m := r.requestMessage()
	return r.readJSON(into, m.headers, m.body, m.doubt)
}

// JSONResponse reads the response's body into a tree, when the recording holds it whole. The value is not there if the
// body is not JSON.
func (r *Result) JSONResponse(into *jsontree.Tree) jsontree.Value {
	if read := r.read[response]; read != nil {
		return into.Use(read.Value, read.Text)
	}
	if r.Item.Response == nil {
		return jsontree.Value{}
	}
	return r.readJSON(into, r.Item.Response.Headers, r.Item.Response.Body, r.Item.ResponseDoubt)
}

func (r *Result) readJSON(
	into *jsontree.Tree, headers recording.Headers, body *recording.Body, doubt string,
) jsontree.Value {
	if body == nil || doubt != "" || len(body.Bytes) == 0 {
		return jsontree.Value{}
	}
	plain, reason := r.codings.Undo(headers, body)
	if reason != "" {
		return jsontree.Value{}
	}
	return into.Read(string(plain))
}

// PlainJSON decodes the body of an answer to the exchange's operation, after its content codings are undone; that of
// one JSON value a line is a list of these. Its second result is false if the body is empty, not JSON by its
// Content-Type, or only a part.
func (r *Result) PlainJSON(status int, header http.Header, coded []byte) (value any, is bool, err error) {
	plain, reason := body.Uncode(header.Get("Content-Encoding"), coded)
	if reason != "" {
		return nil, false, errors.New(reason)
	}
	kind := header.Get("Content-Type")
	if len(plain) == 0 || status == http.StatusPartialContent || !body.IsJSON(body.MediaType(kind)) {
		return nil, false, nil
	}
	if documented := r.documented.answer(status); documented.Response != nil {
		if media := mediaFor(documented.Content, kind); media != nil && body.IsLined(media) {
			d, reason := body.Lines(plain)
			if reason != "" {
				return nil, false, errors.New(reason)
			}
			return d.Values, true, nil
		}
	}
	value, err = body.DecodeJSON(plain)
	return value, err == nil, err
}
