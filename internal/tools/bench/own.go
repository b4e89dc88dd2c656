package main

import (
	"bytes"
	"context"
	_ "embed" // the template
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	tmpl "text/template"
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

//go:embed shop.yaml.tmpl
var shopTemplate string

// shop returns the document of a shop with these resources.
func shop(resources ...string) (document map[string]any) {
	t := must.Get(tmpl.New("shop").Funcs(tmpl.FuncMap{
		"describe": describe, "args": func(list ...any) []any { return list },
		"details": func() []int { return []int{4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5} }, // sentences
	}).Parse(shopTemplate))
	var text bytes.Buffer
	must.Do(t.Execute(&text, resources))
	must.Do(yaml.Unmarshal(text.Bytes(), &document))
	return document
}

// describe returns some sentences about something.
func describe(what string, sentences int) string {
	var text strings.Builder
	for i := range sentences {
		fmt.Fprintf(&text, "Sentence %d says of %s what people want to know who read it. ", i+1, what)
	}
	return text.String()
}
