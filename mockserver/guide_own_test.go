package mockserver_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver"
)

func TestShopIsDownOnce(t *testing.T) {
	t.Parallel()
	const file = "testdata/own/openapi.yaml"
	transport := mockserver.NewTransport(t, mockserver.WithSpec("shop", file), mockserver.WithInterfaces("shop"))
	down := fixtures.Fault{Calls: fixtures.Calls{Operation: "shop.getProduct"}, First: 1, Status: http.StatusServiceUnavailable}
	if _, err := transport.World().Fault(down); err != nil {
		t.Fatal(err)
	}
	recorder := contract.NewRecorder(transport)
	client := &http.Client{Transport: recorder} // what your own client sends its requests with

	const products = "https://api.shop.example/v1/products" // servers of the document
	ask := func(method, url, body string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer any")
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	if status := ask(http.MethodPost, products, `{"name":"rose","price":2.5}`); status != http.StatusCreated {
		t.Errorf("create: %d", status)
	}
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if status := ask(http.MethodGet, products+"/1", ""); status != want {
			t.Errorf("get %d: %d, want %d", i+1, status, want)
		}
	}
	if n := transport.World().Calls("shop.getProduct"); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
	contract.AssertConforms(t, recorder, contract.WithSpec("shop", file), contract.WithInterfaces("shop"))
}
