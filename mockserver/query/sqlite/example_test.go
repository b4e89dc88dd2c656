package sqlite_test

import (
	"fmt"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

// A mock whose jobs are answered by SQLite, and end with an error when they take longer than a second.
func ExampleNew() {
	server, err := mockserver.New(mockserver.WithQueryEngine(sqlite.New(sqlite.WithTimeLimit(time.Second))))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the mock is ready:", server.Ready() == nil)
	// Output: the mock is ready: true
}
