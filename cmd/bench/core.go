package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver"
)

// ingest compares a POST of an event into a table that fills.
func ingest(ctx context.Context) (string, string, error) {
	prepare := func(ctx context.Context, w *mockserver.World) error {
		for _, path := range []string{"/core/v3/database/create/bench", "/core/v3/table/create/bench/events"} {
			if err := post(ctx, w, path, "{}", nil); err != nil {
				return err
			}
		}
		return nil
	}
	return compare(ctx, load{20, 3000, prepare}, func(n int64) string {
		body := fmt.Sprintf(`{"user":"user %d","path":"/cart","price":%d.5}`, n%100, n)
		return "POST /ingestion/postback/v3/event/bench/events HTTP/1.1\r\nHost: localhost\r\n" +
			"Authorization: SVC1 1/admin\r\nContent-Type: application/json\r\nContent-Length: " +
			strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// pollJob compares what clients do most while they wait for a query: asking how a job stands, here one that is over.
func pollJob(ctx context.Context) (string, string, error) {
	var job struct {
		ID string `json:"job_id"`
	}
	prepare := func(ctx context.Context, w *mockserver.World) error {
		if err := post(ctx, w, "/core/v3/database/create/bench", "{}", nil); err != nil {
			return err
		}
		if err := post(ctx, w, "/core/v3/job/issue/trino/bench", `{"query":"SELECT 1"}`, &job); err != nil {
			return err
		}
		w.AdvanceUntilIdle()
		return nil
	}
	return compare(ctx, load{20, 3000, prepare}, func(int64) string {
		return "GET /core/v3/job/status/" + job.ID + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	})
}

// post sends one request into a world, inside the process.
func post(ctx context.Context, w *mockserver.World, path, body string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	response, err := w.Client().Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s", path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
