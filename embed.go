// Package understudy holds the files that the packages of this module carry with them: documents, fixtures and
// scenarios.
//
// It has no code. When a word in one of these files changes, it is compiled again, and so are the packages that read
// the files; but what these compile to stays the same, and with it everything that imports them.
package understudy

import "embed"

// Documents holds the OpenAPI documents: specs/core.yaml and its like.
//
//go:embed specs/*.yaml specs/extras/*.yaml
var Documents embed.FS

// Compiled holds the documents once more, in their short form.
//
//go:embed specs/compiled/*.json specs/compiled/extras/*.json
var Compiled embed.FS

// Operations is the catalogue of the platform's operations.
//
//go:embed specs/operations.txt
var Operations string

// Casts holds the fixtures, a folder for each cast.
//
//go:embed fixtures/*/*.yaml fixtures/*/*.ndjson
var Casts embed.FS

// Scenarios holds the scenarios with their stories, a folder for each.
//
//go:embed scenarios/*/scenario.yaml scenarios/*/story.txtar
var Scenarios embed.FS
