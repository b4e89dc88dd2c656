package libopenapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/helpers"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"svc.example/understudy/contract/engine"
)

// schemas holds the schemas of one operation. It uses only calls of the library that start no goroutines, routes by
// itself, and keeps nothing that the library returns: each of its errors holds the whole body.
type schemas struct {
	op        engine.Operation
	validator validator.Validator
	item      *v3.PathItem

	// The library compiles a schema when it is first needed, and writes into the document meanwhile: no other goroutine
	// may use it then.
	mu       sync.RWMutex
	compiled sync.Map // kinds of bodies whose schemas are compiled
}

// call runs a call of the library that needs the schemas of a kind of body. With an empty kind it may always compile.
func (s *schemas) call(kind string, call func() []*errors.ValidationError) (faults []engine.Fault, err error) {
	defer recoverPanic(&err)
	if _, isCompiled := s.compiled.Load(kind); isCompiled {
		s.mu.RLock()
		defer s.mu.RUnlock()
		return faultsOf(call())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	faults, err = faultsOf(call())
	if kind != "" {
		s.compiled.Store(kind, true)
	}
	return faults, err
}

func (s *schemas) RequestBody(contentType string, text []byte) ([]engine.Fault, error) {
	r := s.request(engine.Request{Path: s.op.Template, Header: http.Header{"Content-Type": {contentType}}})
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return s.call("request "+mediaOf(contentType), func() []*errors.ValidationError {
		_, errs := s.validator.GetRequestBodyValidator().ValidateRequestBodyWithPathItem(r, s.item, s.op.Template)
		return errs
	})
}

func (s *schemas) ResponseBody(status int, contentType string, text []byte) ([]engine.Fault, error) {
	r := s.request(engine.Request{Path: s.op.Template})
	w := &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(bytes.NewReader(text)), Request: r,
	}
	return s.call(strconv.Itoa(status)+" "+mediaOf(contentType), func() []*errors.ValidationError {
		_, errs := s.validator.GetResponseBodyValidator().ValidateResponseBodyWithPathItem(r, w, s.item, s.op.Template)
		return errs
	})
}

func (s *schemas) Parameters(request engine.Request) ([]engine.Fault, error) {
	v, r, item := s.validator.GetParameterValidator(), s.request(request), s.withoutHeaders(request.Ignored)
	return s.call("", func() (all []*errors.ValidationError) {
		for _, judge := range []func(*http.Request, *v3.PathItem, string) (bool, []*errors.ValidationError){
			v.ValidatePathParamsWithPathItem, v.ValidateQueryParamsWithPathItem, v.ValidateHeaderParamsWithPathItem,
		} {
			_, errs := judge(r, item, request.Template)
			all = append(all, errs...)
		}
		return all
	})
}

func (s *schemas) request(r engine.Request) *http.Request {
	u := &url.URL{Scheme: "http", Host: "judge.invalid", Path: r.Path, RawPath: r.RawPath, RawQuery: r.RawQuery}
	header := r.Header
	if header == nil {
		header = http.Header{}
	}
	return &http.Request{Method: s.op.Method, URL: u, Header: header, Host: u.Host, Body: http.NoBody}
}

// withoutHeaders returns the path item of the operation without the header parameters that are not judged.
func (s *schemas) withoutHeaders(ignored []string) *v3.PathItem {
	if len(ignored) == 0 {
		return s.item
	}
	without := func(list []*v3.Parameter) []*v3.Parameter {
		return slices.DeleteFunc(slices.Clone(list), func(p *v3.Parameter) bool {
			return p.In == "header" && slices.Contains(ignored, p.Name)
		})
	}
	lean := *s.item
	lean.Parameters = without(s.item.Parameters)
	for _, operation := range []**v3.Operation{
		&lean.Get, &lean.Put, &lean.Post, &lean.Delete, &lean.Options, &lean.Head, &lean.Patch, &lean.Trace,
	} {
		if *operation != nil {
			copied := **operation
			copied.Parameters = without(copied.Parameters)
			*operation = &copied
		}
	}
	return &lean
}

// faultsOf returns the parts of errors that are worth reporting; or an error, if one of them is that the library cannot
// compile a schema or does not find it, so that it has not judged.
func faultsOf(errs []*errors.ValidationError) ([]engine.Fault, error) {
	var faults []engine.Fault
	for _, e := range errs {
		isLost := e.ValidationSubType == helpers.RequestBodyContentType || strings.HasPrefix(e.Message, "schema is nil") ||
			strings.HasPrefix(e.Message, "schema cannot be rendered")
		if isLost || strings.HasSuffix(e.Message, "failed schema compilation") {
			return nil, fmt.Errorf("the library has not judged: %s", e.Message)
		}
		var at []string
		if e.ValidationType == helpers.ParameterValidation && e.ParameterName != "" {
			at = []string{e.ValidationSubType, e.ParameterName}
		}
		if len(e.SchemaValidationErrors) == 0 {
			faults = append(faults, engine.Fault{Path: at, Message: e.Message, Keyword: keywordOf(e.Message)})
		}
		for _, s := range e.SchemaValidationErrors {
			f := engine.Fault{Path: at, Message: s.Reason, Keyword: keywordOf(s.Reason)}
			if at == nil {
				f.Path = slices.Clone(s.InstancePath)
			}
			if i := strings.LastIndexByte(s.KeywordLocation, '/'); i >= 0 {
				f.Keyword = s.KeywordLocation[i+1:]
			}
			faults = append(faults, f)
		}
	}
	return faults, nil
}

// keywordOf returns the keyword of an error for which the library names none.
func keywordOf(message string) string {
	switch {
	case strings.Contains(message, "is missing"):
		return "required"
	case strings.Contains(message, "allowReserved"):
		return "allowReserved"
	case strings.Contains(message, "exploded"), strings.Contains(message, "delimited"):
		return "style"
	}
	return "type"
}

// mediaOf returns a Content-Type without its parameters.
func mediaOf(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}
