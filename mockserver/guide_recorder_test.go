package mockserver_test

import (
	"encoding/json"
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
	defer response.Body.Close()
	var list struct{ Pools []struct{ Name string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil { // what is not read is not recorded
		t.Fatal(err)
	}
	contract.AssertConforms(t, recorder)
}
