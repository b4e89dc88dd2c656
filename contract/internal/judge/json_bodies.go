package judge

import (
	"errors"
	"net/http"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs/recording"
)

// JSONRequest returns the request's body, when the recording holds it whole: as JSON, or as the JSON that a form and
// members in the query stand for.
func (r *Result) JSONRequest() (gjson.Result, bool) {
	m := r.requestMessage()
	return r.jsonOf(m.headers, m.body, m.doubt, false)
}

// JSONResponse returns the response's body, when the recording holds it whole and it is JSON.
func (r *Result) JSONResponse() (gjson.Result, bool) {
	if r.Item.Response == nil {
		return gjson.Result{}, false
	}
	if r.response == nil {
		r.response = &parsedBody{}
		r.response.value, r.response.isJSON = r.jsonOf(
			r.Item.Response.Headers, r.Item.Response.Body, r.Item.ResponseDoubt, r.isJSON)
	}
	return r.response.value, r.response.isJSON
}

// noteText notes what the judgement on an answer's body knows of its text, so that JSONResponse need not find it out.
func (r *Result) noteText(m *message, o *judgement) {
	if r.isJSON = o.isJSON; m.text != "" {
		r.response = &parsedBody{gjson.Parse(m.text), true}
	}
}

// parsedBody is a body that was parsed, and whether it could be.
type parsedBody struct {
	value  gjson.Result
	isJSON bool
}

func (r *Result) jsonOf(
	headers recording.Headers, body *recording.Body, doubt string, isJSON bool,
) (gjson.Result, bool) {
	if body == nil || doubt != "" || len(body.Bytes) == 0 {
		return gjson.Result{}, false
	}
	plain, reason := r.codings.Undo(headers, body)
	if reason != "" || !isJSON && !gjson.ValidBytes(plain) {
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(plain), true
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
