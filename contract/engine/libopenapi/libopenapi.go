// Package libopenapi is the second engine of a check: libopenapi-validator, in this process. It is the only package
// that imports that library, which takes minutes to compile:
//
//	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
package libopenapi

import (
	"fmt"
	"sync/atomic"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/cache"
	"github.com/pb33f/libopenapi-validator/config"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"svc.example/understudy/contract/engine"
)

const module = "github.com/pb33f/libopenapi-validator"

// New returns the engine. All calls return the same one.
func New() engine.Engine { return library{} }

type library struct{}

func (library) About() engine.About {
	return engine.About{Name: engine.Libopenapi, Version: engine.VersionOf(module)}
}

// Load implements engine.Engine. The library is given one operation at a time: for each schema that it compiles it
// reads the whole document anew, so that the time for all of a document grows with the square of its size.
func (library) Load(op engine.Operation) (s engine.Schemas, err error) {
	defer recoverPanic(&err)
	document, err := libopenapi.NewDocument(op.Source)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	var item *v3.PathItem
	if model.Model.Paths != nil {
		dropHeaders(&model.Model)
		item = model.Model.Paths.PathItems.GetOrZero(op.Template)
	}
	if item == nil {
		return nil, fmt.Errorf("build: the document has no path %s", op.Template)
	}
	compiled := &lazyCache{DefaultCache: cache.NewDefaultCache()}
	compiled.claimsAll.Store(true)
	v := validator.NewValidatorFromV3Model(&model.Model,
		config.WithFormatAssertions(), config.WithoutSecurityValidation(), config.WithSchemaCache(compiled))
	compiled.claimsAll.Store(false)
	return &schemas{op: op, validator: v, item: item}, nil
}

// lazyCache holds the compiled schemas. While it claims to have all of them, a new validator does not compile schemas
// that may never be needed.
type lazyCache struct {
	*cache.DefaultCache
	claimsAll atomic.Bool
}

func (s *lazyCache) Load(key uint64) (*cache.SchemaCacheEntry, bool) {
	if s.claimsAll.Load() {
		return nil, true
	}
	return s.DefaultCache.Load(key)
}

// dropHeaders removes the headers of answers from a model. Otherwise the library would judge them with each body, and
// render their schemas each time, into nodes that all calls share.
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

// recoverPanic turns a panic of the library into an error.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
