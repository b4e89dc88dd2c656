//go:build !race

package checktest

import (
	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
)

// engines adds the second engine to the checkers.
var engines = []contract.Option{contract.WithEngine(libopenapi.New())}
