package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/tools/must"
)

// shopFixture has the one product with which a shop begins.
const shopFixture = `interfaces: {shop: {products: [{id: p1, name: the first, price: 1, status: active}]}}`

// getOwn compares a GET of a compiled operation of a user's document.
func getOwn(ctx context.Context) (string, string) {
	return compareOwn(ctx, load{rounds: 20, requests: 3000}, func(int64) string {
		return "GET /shop/v1/products/p1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\n\r\n"
	})
}

// createOwn compares a POST that makes something new each time.
func createOwn(ctx context.Context) (string, string) {
	return compareOwn(ctx, load{rounds: 300, requests: 160}, func(n int64) string {
		body := fmt.Sprintf(`{"name":"product %d","price":12.5,"status":"active","tags":["a","b"],`+
			`"address":{"street":"Main Street 1","city":"Berlin"}}`, n)
		return "POST /shop/v1/products HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

func compareOwn(ctx context.Context, l load, request func(int64) string) (string, string) {
	l.file = filepath.Join(os.TempDir(), "shop.json")
	must.Do(os.WriteFile(l.file, must.Get(json.Marshal(shop("product"))), 0o600))
	return compare(ctx, l, request)
}

// startOwn takes the best of five starts with a document of a size in bytes, from exec to the ready line.
func startOwn(size int, name string) func(context.Context) (string, string) {
	return func(ctx context.Context) (string, string) {
		binary := build(ctx, "understudy")
		text, operations := largeShop(size, name)
		file := filepath.Join(os.TempDir(), name)
		must.Do(os.WriteFile(file, text, 0o600))
		best, leastCPU, memory := time.Hour, time.Hour, 0
		for range 5 {
			begin := time.Now()
			p := serveProcess(ctx, binary, "--spec", "shop="+file, "--interfaces", "shop")
			best, memory = min(best, time.Since(begin)), max(memory, p.memory())
			leastCPU = min(leastCPU, p.end())
		}
		return fmt.Sprintf("%.2f s, %d MiB", best.Seconds(), memory>>20),
			fmt.Sprintf("best of five, %.2f s of CPU; %d operations in %.1f MiB", leastCPU.Seconds(), operations,
				float64(len(text))/(1<<20))
	}
}

// largeShop returns a document with as many resources as make it so large, as JSON or YAML.
func largeShop(size int, name string) (text []byte, operations int) {
	encode := yaml.Marshal
	if filepath.Ext(name) == ".json" {
		encode = func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }
	}
	one := must.Get(encode(shop("product")))
	var resources []string
	for range size / len(one) * 21 / 20 { // what they share stands there once
		resources = append(resources, fmt.Sprintf("product%d", len(resources)))
	}
	return must.Get(encode(shop(resources...))), operationsEach * len(resources)
}

// operationsEach is the number of operations of a resource.
const operationsEach = 6

type object = map[string]any

// shop returns a document that has, for each resource, the operations and the many words of public documents.
func shop(resources ...string) object {
	paths, schemas := object{}, object{"Problem": object{
		"type": "object", "required": []string{"title"},
		"properties": object{"title": object{"type": "string"}, "detail": object{"type": "string"}},
	}}
	for _, r := range resources {
		schemas[r], schemas[r+"-list"] = schemaOf(r), object{
			"type": "object", "required": []string{"items", "total"},
			"properties": object{
				"items": object{"type": "array", "items": object{"$ref": "#/components/schemas/" + r}},
				"total": object{"type": "integer"}, "next": object{"type": "string", "nullable": true},
			},
		}
		operation := func(verb, status, answer string, more object) object {
			o := object{
				"operationId": verb + "-" + r, "tags": []string{r}, "summary": "It does " + verb + " with one of " + r + ".",
				"description": describe(verb+" "+r, 12), "responses": object{
					status: object{"description": "What was asked for.", "content": object{"application/json": object{
						"schema": object{"$ref": "#/components/schemas/" + answer},
					}}},
					"404": object{"$ref": "#/components/responses/problem"}, "422": object{"$ref": "#/components/responses/problem"},
				},
			}
			maps.Copy(o, more)
			return o
		}
		body := object{"requestBody": object{"required": true, "content": object{"application/json": object{
			"schema": object{"$ref": "#/components/schemas/" + r}, "examples": object{"default": object{"value": exampleOf(r)}},
		}}}}
		remove := operation("delete", "204", r, nil)
		remove["responses"].(object)["204"] = object{"description": "It is gone."}
		paths["/"+r+"s"] = object{
			"get": operation("list", "200", r+"-list", object{"parameters": []any{
				object{"name": "limit", "in": "query", "schema": object{"type": "integer", "minimum": 1, "maximum": 100}},
				object{"name": "offset", "in": "query", "description": describe("offset", 3), "schema": object{"type": "integer"}},
				object{"name": "status", "in": "query", "schema": object{"type": "string", "enum": statuses}},
			}}),
			"post": operation("create", "201", r, body),
		}
		paths["/"+r+"s/{id}"] = object{
			"parameters": []any{object{"name": "id", "in": "path", "required": true, "schema": object{"type": "string"}}},
			"get":        operation("get", "200", r, nil), "put": operation("replace", "200", r, body),
			"patch": operation("change", "200", r, body), "delete": remove,
		}
	}
	return object{
		"openapi": "3.0.3", "info": object{"title": "Shop", "version": "1"},
		"servers": []any{object{"url": "https://shop.example/v1"}}, "security": []any{object{"token": []string{}}},
		"paths": paths, "components": object{
			"schemas":         schemas,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
			"responses": object{"problem": object{"description": "What is wrong.", "content": object{
				"application/json": object{"schema": object{"$ref": "#/components/schemas/Problem"}},
			}}},
		},
	}
}

var statuses = []string{"active", "archived", "draft", "sold"}

// schemaOf returns the schema of a resource: some twenty members, some of them objects, lists and alternatives.
func schemaOf(r string) object {
	text := func(words int) object { return object{"type": "string", "description": describe(r, words)} }
	members := object{
		"id": object{"type": "string", "readOnly": true}, "name": object{"type": "string", "minLength": 1, "maxLength": 80},
		"price": object{"type": "number", "minimum": 0}, "status": object{"type": "string", "enum": statuses},
		"created_at": object{"type": "string", "format": "date-time", "readOnly": true},
		"tags":       object{"type": "array", "maxItems": 20, "items": object{"type": "string"}},
		"address": object{"type": "object", "required": []string{"city"}, "properties": object{
			"street": text(3), "city": text(2), "country": object{"type": "string", "pattern": "^[A-Z]{2}$"},
		}},
		"owner": object{"nullable": true, "oneOf": []any{
			object{"type": "object", "required": []string{"user"}, "properties": object{"user": text(2)}},
			object{"type": "object", "required": []string{"team"}, "properties": object{"team": text(2)}},
		}},
		"metadata": object{"type": "object", "additionalProperties": object{"type": "string"}},
	}
	for i := range 12 {
		members[fmt.Sprintf("detail_%d", i)] = text(4 + i%5)
	}
	return object{
		"type": "object", "required": []string{"id", "name", "price"}, "properties": members, "example": exampleOf(r),
		"description": describe(r, 8),
	}
}

func exampleOf(r string) object {
	return object{
		"id": r + "-1", "name": "one of " + r, "price": 12.5, "status": "active", "tags": []string{"a", "b"},
		"created_at": "2026-01-15T09:30:00Z", "address": object{"street": "Main Street 1", "city": "Berlin"},
		"owner": object{"user": "ann"},
	}
}

// describe returns some sentences about something.
func describe(what string, sentences int) string {
	var text strings.Builder
	for i := range sentences {
		fmt.Fprintf(&text, "Sentence %d says of %s what people want to know who read it. ", i+1, what)
	}
	return text.String()
}
