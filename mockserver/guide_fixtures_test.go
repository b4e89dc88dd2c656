package mockserver_test

import (
	"io"
	"net/http"
	"testing"

	"svc.example/understudy/mockserver"
)

func TestShopIsStocked(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t, mockserver.WithSpec("shop", "testdata/own/openapi.yaml"),
		mockserver.WithScenario("testdata/stocked.yaml"))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.shop.example/v1/products/71", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer any")
	response, err := transport.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if want := `{"id":71,"name":"rose","price":2.50,"stock":3}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}
