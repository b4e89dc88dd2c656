// Package calls holds what the calls of every client share, as calls.ts does.
package calls

import (
	"fmt"
	"os"
	"strings"
)

// Key is the value of the header Authorization.
const Key = "SVC1 1/admin"

// Agent is the id of the agent that the scenario full-account has.
const Agent = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"

// Base returns the base address of a document's interface.
func Base(document string) string {
	return os.Getenv("UNDERSTUDY_" + strings.ToUpper(document) + "_URL")
}

// Check writes a line for a call: ok, or how its answer differs from what is wanted.
func Check[T comparable](operation string, want, got T) {
	if got != want {
		Fail(operation, got)
		return
	}
	fmt.Println(operation, "ok")
}

// Fail writes what a call was answered where it should not be.
func Fail(operation string, answer any) { fmt.Printf("%s was answered %+v\n", operation, answer) }
