package judge

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/cache"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"svc.example/understudy/specs"
)

// The second engine is libopenapi-validator, an implementation that shares nothing with the first. Only its calls that
// start no goroutines are used, with our routing instead of its own, and nothing that it returns is kept: each of its
// errors holds the whole body.

// It is made for one operation at a time, of a document that has nothing else: for each schema that it compiles, the
// engine reads the whole document anew, so that the time for all of a document grows with the square of its size.

type second struct {
	validator validator.Validator
	item      *v3.PathItem

	// The engine compiles a schema when it is first needed, and writes into the document meanwhile: nobody else may use
	// it then.
	mu       sync.RWMutex
	compiled sync.Map // kinds of bodies whose schemas are
}

// use runs a call of the engine that needs the schemas of a kind of body. What is of no kind may always compile.
func (s *second) use(kind string, call func()) {
	if _, isCompiled := s.compiled.Load(kind); isCompiled {
		s.mu.RLock()
		defer s.mu.RUnlock()
		call()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	call()
	if kind != "" {
		s.compiled.Store(kind, true)
	}
}

func newSecond(op *specs.Operation) (*second, error) {
	source, err := op.Document.Extract(op)
	if err != nil {
		return nil, err
	}
	document, err := libopenapi.NewDocument(source)
	if err != nil {
		return nil, fmt.Errorf("load %s for the second judge: %w", op.Document.File, err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		return nil, fmt.Errorf("build %s for the second judge: %w", op.Document.File, err)
	}
	dropHeaders(&model.Model)
	s := &second{}
	if model.Model.Paths != nil {
		s.item = model.Model.Paths.PathItems.GetOrZero(op.Template)
	}
	if s.item == nil {
		return nil, fmt.Errorf("build %s for the second judge: %s is not there", op.Document.File, op.Template)
	}
	schemas := &schemas{DefaultCache: cache.NewDefaultCache()}
	schemas.idle.Store(true)
	s.validator = validator.NewValidatorFromV3Model(&model.Model,
		config.WithFormatAssertions(), config.WithoutSecurityValidation(), config.WithSchemaCache(schemas))
	schemas.idle.Store(false)
	return s, nil
}

// schemas holds the compiled schemas. While it is idle it claims to have all of them: a new engine would compile every
// schema at once, whether or not anybody needs it.
type schemas struct {
	*cache.DefaultCache
	idle atomic.Bool
}

// Load implements cache.SchemaCache.
func (s *schemas) Load(key uint64) (*cache.SchemaCacheEntry, bool) {
	if s.idle.Load() {
		return nil, true
	}
	return s.DefaultCache.Load(key)
}

// dropHeaders takes the headers of answers out of a model: with the body of an answer the engine judges its headers,
// too, which nobody asks it for, and for that it renders their schemas anew every time, into nodes that all calls share.
func dropHeaders(model *v3.Document) {
	for item := range model.Paths.PathItems.ValuesFromOldest() {
		for operation := range item.GetOperations().ValuesFromOldest() {
			if operation.Responses == nil {
				continue
			}
			for response := range operation.Responses.Codes.ValuesFromOldest() {
				response.Headers = nil
			}
			if operation.Responses.Default != nil {
				operation.Responses.Default.Headers = nil
			}
		}
	}
}

// second returns the second engine for an operation, or nil if it cannot be made: the first then judges alone.
func (j *Judge) second(op *specs.Operation) *second {
	if j.alone {
		return nil
	}
	s, err := secondOf(op)
	if err != nil {
		return nil
	}
	return s
}

// secondOnBody judges a JSON body, or the JSON object that a form stands for. The engine cannot read others, and it
// passes forms unread. It is told how many faults the first engine found.
func (j *Judge) secondOnBody(b *body, known int) (faults []fault, voted bool) {
	s, kind := j.second(b.op), b.jsonHeader()
	if s == nil || b.decoded.json == nil || kind == "" {
		return nil, false
	}
	text := b.excerpt(known)
	if text == nil {
		return nil, false
	}
	defer func() { // an engine that falls over has no vote
		if recover() != nil {
			faults, voted = nil, false
		}
	}()
	header := http.Header{"Content-Type": {kind}}
	r := requestOf(&message{op: b.op}, &Owner{Path: b.op.Template})
	if b.side == request {
		r.Header, r.Body, r.ContentLength = header, io.NopCloser(bytes.NewReader(text)), int64(len(text))
		s.use("request "+mediaOf(kind), func() {
			_, errs := s.validator.GetRequestBodyValidator().ValidateRequestBodyWithPathItem(r, s.item, b.op.Template)
			faults = secondFaults(errs)
		})
		return b.placed(faults), true
	}
	w := &http.Response{StatusCode: b.status, Header: header, Body: io.NopCloser(bytes.NewReader(text)), Request: r}
	s.use(strconv.Itoa(b.status)+" "+mediaOf(kind), func() {
		_, errs := s.validator.GetResponseBodyValidator().ValidateResponseBodyWithPathItem(r, w, s.item, b.op.Template)
		faults = secondFaults(errs)
	})
	return b.placed(faults), true
}

// jsonHeader is the Content-Type under which JSON is judged by the schema of the body, or the empty string.
func (b *body) jsonHeader() string {
	if isJSON(mediaOf(b.header)) && b.content.Get(b.header) == b.media {
		return b.header
	}
	return ""
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

func (j *Judge) secondOnParameters(p *parameters) (faults []fault, voted bool) {
	s := j.second(p.op)
	if s == nil || len(p.op.Parameters) == 0 || p.anyRedacted() {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			faults, voted = nil, false
		}
	}()
	v := s.validator.GetParameterValidator()
	request, path := p.unglued()
	item := p.judged(s.item)
	s.use("", func() {
		for _, judge := range []func(*http.Request, *v3.PathItem, string) (bool, []*errors.ValidationError){
			v.ValidatePathParamsWithPathItem, v.ValidateQueryParamsWithPathItem, v.ValidateHeaderParamsWithPathItem,
		} {
			_, errs := judge(request, item, path)
			faults = append(faults, secondFaults(errs)...)
		}
	})
	return faults, true
}

// unglued is the request as the engine can take it apart. It splits paths at slashes alone, so that it gives all of a
// segment to the first of two parameters in it: such a pair becomes two segments, or one when the other is empty.
func (p *parameters) unglued() (*http.Request, string) {
	before, last, glued := strings.Cut(p.op.Template, "}{")
	if !glued {
		return p.request, p.op.Template
	}
	path, value := before+"}", p.path[strings.TrimSuffix(last, "}")]
	request := *p.request
	u := *p.request.URL
	request.URL = &u
	u.Path = strings.TrimSuffix(u.Path, value)
	if value != "" {
		path, u.Path = path+"/{"+last, u.Path+"/"+value
	}
	u.RawPath = ""
	return &request, path
}

// secondFaults keeps of errors what is worth telling, sorted, since their order changes from run to run.
func secondFaults(errs []*errors.ValidationError) []fault {
	var faults []fault
	for _, e := range errs {
		if len(e.SchemaValidationErrors) == 0 {
			faults = append(faults, fault{message: quiet(e.Message)})
		}
		for _, s := range e.SchemaValidationErrors {
			faults = append(faults, fault{path: slices.Clone(s.InstancePath), message: quiet(s.Reason)})
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
