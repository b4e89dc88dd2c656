// Package reports is a client of the platform, as a team might have it.
package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Client issues queries.
type Client struct {
	URL string // of the interface core, such as http://127.0.0.1:4010/core/v3
	Key string
}

// Issue returns the id of the job. It sends a query that got 503 again, three times in all.
func (c *Client) Issue(ctx context.Context, query string) (string, error) {
	for attempt := 1; ; attempt++ {
		response, err := c.send(ctx, query)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		if response.StatusCode == http.StatusOK {
			var job struct {
				ID string `json:"job_id"`
			}
			return job.ID, json.NewDecoder(response.Body).Decode(&job)
		}
		if response.StatusCode != http.StatusServiceUnavailable || attempt == 3 {
			return "", fmt.Errorf("core answered %s", response.Status)
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func (c *Client) send(ctx context.Context, query string) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	url := c.URL + "/job/issue/trino/shop"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "SVC1 "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(request)
}
