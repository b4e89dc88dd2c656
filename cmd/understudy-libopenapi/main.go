// Command understudy-libopenapi is the second engine of understudy check, in a process of its own. It stands beside
// understudy, which starts it; users need not.
package main

import (
	"fmt"
	"os"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/engine/process"
)

func main() {
	process.LimitMemory()
	answers := os.Stdout
	os.Stdout = os.Stderr // the library logs to standard output, and nothing but answers may stand there
	if err := process.Serve(os.Stdin, answers, libopenapi.New()); err != nil {
		fmt.Fprintln(os.Stderr, "understudy-libopenapi:", err)
		os.Exit(1)
	}
}
