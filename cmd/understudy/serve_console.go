package main

import (
	"log/slog"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/specs"
)

// console returns the pages of the server, with a judge of what it answers.
func (f *serveFlags) console(log *slog.Logger) *console.Console {
	brand := specs.Brand(f.brand)
	opts := []contract.Option{contract.WithBrand(brand), contract.WithExtras(f.extras.Word == checkflags.AllExtras)}
	opts = append(opts, checkflags.Documents(&f.specs, contract.WithSpec, contract.WithOverlay)...)
	return console.New(
		console.WithBrand(brand), console.WithLogger(log), console.WithJudge(newConsoleJudge(defaultRun, opts...)),
	)
}
