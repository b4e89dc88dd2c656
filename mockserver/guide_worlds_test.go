package mockserver_test

import (
	"net/http"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestPoolIsFreeAfterADay(t *testing.T) {
	t.Parallel()
	server := mockserver.Start(t, mockserver.WithScenario("pool-in-use"), mockserver.WithClock("frozen"))
	prepared := server.World("")

	for _, wait := range []time.Duration{time.Minute, 24 * time.Hour} {
		t.Run(wait.String(), func(t *testing.T) {
			t.Parallel()
			world := prepared.Fork() // in microseconds; no other test sees what happens in it
			world.Advance(wait)      // whatever is due by then has happened

			request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete,
				server.URL("workflow")+"/api/pools/2", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "SVC1 "+world.Key()) // the key chooses the world
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if free := response.StatusCode == http.StatusOK; free != (wait > 12*time.Hour) {
				t.Errorf("delete answers %d after %v", response.StatusCode, wait)
			}
		})
	}
}
