package snippet_test

import (
	"fmt"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
)

// recorded is an exchange as recordings have it.
func recorded() *recording.Exchange {
	return &recording.Exchange{
		Seq: 7,
		Request: recording.Request{
			Method: "PATCH", URL: "https://workflow.svc.example/api/pools/2",
			Headers: recording.Headers{
				{"Authorization", "SVC1 [redacted:1a2b3c4d]"},
				{"Content-Type", "application/json"},
			},
			Body: &recording.Body{Bytes: []byte(`{"name":"Ana's"}`)},
		},
		Response: &recording.Response{Status: 200, Body: &recording.Body{
			Bytes: []byte(`{"id":"2","name":"Ana's","updatedAt":"2026-01-15T09:30:00Z"}`),
		}},
	}
}

func ExampleCurl() {
	command, keys := snippet.Curl(recorded(), snippet.WithAddress("http://127.0.0.1:4010/workflow"))
	fmt.Println(command)
	fmt.Println(keys)
	// Output:
	// curl -sS -i --globoff --path-as-is -X 'PATCH' --url 'http://127.0.0.1:4010/workflow/api/pools/2' \
	//   -H 'Authorization: SVC1 '"$KEY" \
	//   -H 'Content-Type: application/json' \
	//   --data-raw '{"name":"Ana'\''s"}'
	// [KEY]
}

func ExampleStoryStep() {
	step, err := snippet.StoryStep(recorded())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(step)
	// Output:
	// # The request of exchange 7.
	// # The recording hides its key; put the one that you mean after as.
	// as 1/admin
	// PATCH /workflow/api/pools/2 200 '{"name":"Ana''s"}'
	// match '{"id": "2", "name": "Ana''s", "updatedAt": "*"}'
}

func ExamplePython() {
	script, err := snippet.Python(recorded())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(script)
	// Output:
	// import http.client
	// import os
	// import sys
	//
	// KEY = os.environ["KEY"]  # a secret that the recording hides
	// connection = http.client.HTTPSConnection("workflow.svc.example", timeout=60)
	// connection.putrequest("PATCH", "/api/pools/2", skip_accept_encoding=True)
	// connection.putheader("Authorization", "SVC1 " + KEY)
	// connection.putheader("Content-Type", "application/json")
	// body = b'{"name":"Ana\'s"}'
	// connection.putheader("Content-Length", str(len(body)))
	// connection.endheaders(body)
	// answer = connection.getresponse()
	// print(answer.status, answer.reason, flush=True)
	// sys.stdout.buffer.write(answer.read())
}
