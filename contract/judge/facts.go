package judge

import (
	"errors"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/specs/recording"
)

// JSONRequest returns the request's body, when the recording holds it whole and it is JSON.
func (r *Result) JSONRequest() (gjson.Result, bool) {
	return jsonOf(r.Item.Request.Headers, r.Item.Request.Body, r.Item.RequestDoubt)
}

// JSONResponse returns the response's body, when the recording holds it whole and it is JSON.
func (r *Result) JSONResponse() (gjson.Result, bool) {
	if r.Item.Response == nil {
		return gjson.Result{}, false
	}
	return jsonOf(r.Item.Response.Headers, r.Item.Response.Body, r.Item.ResponseDoubt)
}

func jsonOf(headers recording.Headers, body *recording.Body, doubt string) (gjson.Result, bool) {
	if body == nil || doubt != "" || len(body.Bytes) == 0 {
		return gjson.Result{}, false
	}
	plain, reason := uncode(headers.Value("Content-Encoding"), body.Bytes)
	if reason != "" || !gjson.ValidBytes(plain) {
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(plain), true
}

// Own gives an exchange to its owner, without judging it.
func (j *Judge) Own(item capture.Item) *Result {
	return &Result{Item: item, Owner: j.addresses.Owner(&item)}
}

// PlainJSON decodes a body after its content codings are undone. It is no JSON when its Content-Type does not say so.
func PlainJSON(contentType, contentEncoding string, coded []byte) (value any, is bool, err error) {
	plain, reason := uncode(contentEncoding, coded)
	if reason != "" {
		return nil, false, errors.New(reason)
	}
	if len(plain) == 0 || !isJSON(mediaOf(contentType)) {
		return nil, false, nil
	}
	value, err = DecodeJSON(plain)
	return value, err == nil, err
}
