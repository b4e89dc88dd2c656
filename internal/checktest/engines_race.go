//go:build race

package checktest

import "svc.example/understudy/contract"

// engines is empty: the race detector would take long to build and link the second engine, whose own tests run with it.
var engines []contract.Option
