package mockserver_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
)

// A Recorder around the client of a world records what the code under test does, and a Checker judges it.
func ExampleWorld_Client() {
	server, err := mockserver.New(mockserver.WithClock(mockserver.ClockFrozen))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	recorder := contract.NewRecorder(server.World("").Client().Transport)
	client := &http.Client{Transport: recorder}

	address := "http://localhost" + mockserver.Address("workflow") + "/api/pools/1"
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	response, err := client.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()

	checker, err := contract.NewChecker()
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := checker.Check(context.Background(), contract.Exchanges(slices.Values(recorder.Exchanges())))
	fmt.Println(response.Status, report.Outcome(), err)
	// Output: 200 OK the recording conforms <nil>
}
