package mockserver_test

import (
	"net/http"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

func TestPoolInUse(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t, mockserver.WithScenario("pool-in-use"))
	client := &http.Client{Transport: transport} // what your own client sends its requests with

	const pool = "https://workflow.svc.example/api/pools/2" // an attempt runs in it
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n := transport.World().Calls("workflow.deletePool", http.StatusBadRequest); n != 1 {
		t.Errorf("%d refused deletes, want 1", n)
	}
	contract.MatchShape(t, response) // testdata/shapes/workflow.deletePool.400_1.snap.json
}
