package contract

import (
	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/report"
)

// engines returns which engines judged how much.
func (g *gatherer) engines() []report.Engine {
	const first = "github.com/getkin/kin-openapi"
	list := []report.Engine{{
		Name: engine.KinOpenAPI, Version: engine.VersionOf(first), Messages: g.r.Judged.Parameters + g.r.Judged.Bodies,
	}}
	if second := g.checker.config.engine; second != nil {
		about := second.About()
		g.second.Name, g.second.Version, g.second.Trouble = about.Name, about.Version, about.Trouble
		list = append(list, g.second)
	}
	return list
}
