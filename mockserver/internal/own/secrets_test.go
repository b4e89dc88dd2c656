package own_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

func TestKeysOfOwnDocumentsAreNeverRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	const shop = `openapi: 3.0.3
info: {title: Shop, version: "1"}
security: [{key: []}, {query: []}]
paths: {/items: {get: {operationId: listItems, responses: {"200": {description: Items.}}}}}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Shop}, query: {type: apiKey, in: query, name: shopper}}
`
	if err := os.WriteFile(file, []byte(shop), 0o600); err != nil {
		t.Fatal(err)
	}
	var mock bytes.Buffer
	transport := mockserver.NewTransport(t, mockserver.WithSpec("shop", file), mockserver.WithInterfaces("shop"),
		mockserver.WithRecording(&mock))
	recorder := contract.NewRecorder(transport, contract.WithSpec("shop", file))
	client := &http.Client{Transport: recorder}
	for _, path := range []string{"/items", "/nothing"} {
		url := "https://shop.svc.example" + path + "?shopper=swordfish1"
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Shop", "swordfish2")
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	var recorded bytes.Buffer
	if _, err := recorder.WriteTo(&recorded); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mock": mock.String(), "recorder": recorded.String()} {
		if !strings.Contains(text, "/nothing") || strings.Contains(text, "swordfish") {
			t.Errorf("the recording of the %s lacks an exchange or has a key: %s", name, text)
		}
	}
}
