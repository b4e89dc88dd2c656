package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/specs"
)

const shop = `openapi: 3.0.3
info: {title: Shop, version: "1"}
servers: [{url: https://api.shop.example/v1}]
security: [{key: []}]
paths:
  /items:
    post:
      operationId: createItem
      requestBody: {content: {application/json: {schema: {type: object, properties: {password: {type: string, format: password}}}}}}
      responses: {"201": {description: It is made.}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Shop}}}
`

func TestInterfacesOfOneSOwnArePassedOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(shop), 0o600); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+r.URL.Path+"/1")
		w.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()
	var recording bytes.Buffer
	p, err := proxy.New(proxy.Config{
		Targets:   map[specs.Interface]string{"shop": service.URL + "/v1"},
		Specs:     map[specs.Interface]string{"shop": file},
		Recording: &recording,
	})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := p.Interface("shop")
	if err != nil {
		t.Fatal(err)
	}
	for address, handler := range map[string]http.Handler{
		"http://127.0.0.1/shop/v1/items":   p,
		"http://shop.localhost/v1/items":   p,
		"http://127.0.0.1:4011/v1/items":   alone,
		"http://shop.localhost:1/v1/items": p,
	} {
		r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(`{"password":"open sesame"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Shop", "swordfish-1234")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); w.Code != http.StatusCreated || got != address+"/1" {
			t.Errorf("%s: %d, at %q", address, w.Code, got)
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/shopp/v1/items", nil))
	if body, _ := io.ReadAll(w.Body); w.Code != http.StatusNotFound || !strings.Contains(string(body), "one of shop\"") {
		t.Errorf("an unknown interface: %d %s", w.Code, body)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	text := recording.String()
	if n := strings.Count(text, `"operation":"shop.createItem"`); n != 4 {
		t.Errorf("%d exchanges name their operation, want 4", n)
	}
	for _, secret := range []string{"swordfish", "sesame"} {
		if strings.Contains(text, secret) {
			t.Errorf("the recording has the secret %s: %s", secret, text)
		}
	}
}

func TestTargetsWithoutADocumentAreRefused(t *testing.T) {
	t.Parallel()
	_, err := proxy.New(proxy.Config{Targets: map[specs.Interface]string{"shop": "https://shop.example"}})
	if err == nil || !strings.Contains(err.Error(), `unknown interface "shop"`) {
		t.Errorf("a target of an unknown interface: %v", err)
	}
}
