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

// New returns the engine. All that it returns are the same one.
func New() engine.Engine { return library{} }

type library struct{}

// About implements engine.Engine.
func (library) About() engine.About {
	return engine.About{Name: engine.Libopenapi, Version: engine.VersionOf(module)}
}

// Load implements engine.Engine. The library is given one operation at a time: for each schema that it compiles it
// reads the whole document anew, so that the time for all of a document grows with the square of its size.
func (library) Load(op engine.Operation) (s engine.Schemas, err error) {
	defer noVote(&err)
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
	compiled.claims.Store(true)
	v := validator.NewValidatorFromV3Model(&model.Model,
		config.WithFormatAssertions(), config.WithoutSecurityValidation(), config.WithSchemaCache(compiled))
	compiled.claims.Store(false)
	return &schemas{op: op, validator: v, item: item}, nil
}

// lazyCache holds the compiled schemas. While it claims to have all of them, a new validator does not compile every
// schema at once, whether or not anybody needs it.
type lazyCache struct {
	*cache.DefaultCache
	claims atomic.Bool
}

// Load implements cache.SchemaCache.
func (s *lazyCache) Load(key uint64) (*cache.SchemaCacheEntry, bool) {
	if s.claims.Load() {
		return nil, true
	}
	return s.DefaultCache.Load(key)
}

// dropHeaders takes the headers of answers out of a model: with the body of an answer the library judges its headers,
// too, which is not wanted, and for that it renders their schemas anew every time, into nodes that all calls share.
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

// noVote makes an error of a panic: a library that falls over has no vote.
func noVote(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
