package judge

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"svc.example/understudy/specs"
)

// The second engine is libopenapi-validator, an implementation that shares nothing with the first. Only its calls that
// start no goroutines are used, with our routing instead of its own, and nothing that it returns is kept: each of its
// errors holds the whole body.

type second struct {
	validator validator.Validator
	paths     map[string]*v3.PathItem
}

type secondKey struct {
	file   string
	source string
}

// seconds holds one validator for each document in a process: it takes a while to make, and it never changes.
var secondsLoaded sync.Map // secondKey → func() (*second, error)

func loadSecond(d *specs.Document) func() (*second, error) {
	load, _ := secondsLoaded.LoadOrStore(secondKey{d.File, string(d.Source())}, sync.OnceValues(func() (*second, error) {
		document, err := libopenapi.NewDocument(d.Source())
		if err != nil {
			return nil, fmt.Errorf("load %s for the second judge: %w", d.File, err)
		}
		model, err := document.BuildV3Model()
		if err != nil {
			return nil, fmt.Errorf("build %s for the second judge: %w", d.File, err)
		}
		s := &second{paths: map[string]*v3.PathItem{}}
		s.validator = validator.NewValidatorFromV3Model(&model.Model,
			config.WithFormatAssertions(), config.WithoutSecurityValidation())
		maps.Insert(s.paths, model.Model.Paths.PathItems.FromOldest())
		return s, nil
	}))
	return load.(func() (*second, error))
}

// second is the second engine for a document. It has no vote where it cannot be made: the first then judges alone.
func (j *Judge) second(d *specs.Document) *second {
	load := j.seconds[d]
	if load == nil {
		return nil
	}
	s, err := load()
	if err != nil {
		return nil
	}
	return s
}

// secondOnBody judges a JSON body. The engine cannot read others.
func (j *Judge) secondOnBody(b *body) (faults []fault, voted bool) {
	s := j.second(b.op.Document)
	if s == nil || b.decoded.json == nil || !isJSON(mediaOf(b.header)) {
		return nil, false
	}
	defer func() { // an engine that falls over has no vote
		if recover() != nil {
			faults, voted = nil, false
		}
	}()
	header := http.Header{"Content-Type": {b.header}}
	r := requestOf(&message{op: b.op}, &Owner{Path: b.op.Path})
	if b.side == request {
		r.Header, r.Body, r.ContentLength = header, io.NopCloser(bytes.NewReader(b.decoded.json)), int64(len(b.decoded.json))
		_, errs := s.validator.GetRequestBodyValidator().ValidateRequestBodyWithPathItem(r, s.paths[b.op.Path], b.op.Path)
		return b.placed(secondFaults(errs)), true
	}
	w := &http.Response{StatusCode: b.status, Header: header, Body: io.NopCloser(bytes.NewReader(b.decoded.json)), Request: r}
	_, errs := s.validator.GetResponseBodyValidator().ValidateResponseBodyWithPathItem(r, w, s.paths[b.op.Path], b.op.Path)
	return b.placed(secondFaults(slices.DeleteFunc(errs, isHeaderError))), true
}

// placed adds to faults where the document speaks of their values, and takes the values out of the messages, since they
// may be secret.
func (b *body) placed(faults []fault) []fault {
	for i := range faults {
		f := &faults[i]
		ways := b.waysTo(f.path)
		if len(ways) > 0 {
			f.pointer = ways[0].pointer
		}
		if text, _ := b.valueAt(f.path).(string); text != "" {
			f.message = strings.ReplaceAll(f.message, text, "…")
		}
	}
	return faults
}

// isHeaderError picks out what is not said of the body.
func isHeaderError(e *errors.ValidationError) bool {
	return strings.Contains(strings.ToLower(e.ValidationSubType), "header") ||
		strings.Contains(strings.ToLower(e.Message), "response header")
}

func (j *Judge) secondOnParameters(p *parameters) (faults []fault, voted bool) {
	s := j.second(p.op.Document)
	if s == nil || len(p.op.Parameters) == 0 {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			faults, voted = nil, false
		}
	}()
	item, v := s.paths[p.op.Path], s.validator.GetParameterValidator()
	for _, judge := range []func(*http.Request, *v3.PathItem, string) (bool, []*errors.ValidationError){
		v.ValidatePathParamsWithPathItem, v.ValidateQueryParamsWithPathItem, v.ValidateHeaderParamsWithPathItem,
	} {
		_, errs := judge(p.request, item, p.op.Path)
		faults = append(faults, secondFaults(errs)...)
	}
	return faults, true
}

// secondFaults keeps of errors what is worth telling, sorted, since their order changes from run to run.
func secondFaults(errs []*errors.ValidationError) []fault {
	var faults []fault
	for _, e := range errs {
		if len(e.SchemaValidationErrors) == 0 {
			faults = append(faults, fault{message: firstLine(e.Message)})
		}
		for _, s := range e.SchemaValidationErrors {
			faults = append(faults, fault{path: slices.Clone(s.InstancePath), message: firstLine(s.Reason)})
		}
	}
	slices.SortFunc(faults, func(a, b fault) int {
		if c := slices.Compare(a.path, b.path); c != 0 {
			return c
		}
		return strings.Compare(a.message, b.message)
	})
	return faults[:min(len(faults), maxFaults)]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
