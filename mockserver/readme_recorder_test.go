package mockserver_test

import (
	"net/http"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

func TestTrafficConforms(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(mockserver.NewTransport(t)) // or nil: http.DefaultTransport, the real platform
	client := &http.Client{Transport: recorder}

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://workflow.svc.example/api/pools", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	contract.AssertConforms(t, recorder)
}
