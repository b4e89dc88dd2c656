// Package process runs the second engine of a check as a child process, and serves one in it. They communicate over
// standard input and output: first the child sends a line of text, its greeting, then both send values of encoding/gob,
// which keeps texts byte for byte. Each call gets its answer, in any order.
//
// A check continues even if the child fails: calls that it did not answer return errors, and the first engine decides.
package process

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"svc.example/understudy/contract/engine"
)

// protocol is the version of the messages between client and child. Other versions are refused.
const protocol = 1

// greeting begins the first line of a child.
const greeting = "understudy-engine"

var errNoHello = errors.New("it did not send its greeting")

// readHello reads the first line of the child.
func readHello(r *bufio.Reader) (engine.About, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return engine.About{}, errNoHello
	}
	fields := strings.Split(strings.TrimSpace(string(line)), " ")
	if len(fields) < 3 || fields[0] != greeting {
		return engine.About{}, errors.New("it is not an engine of understudy")
	}
	if fields[1] != fmt.Sprint(protocol) {
		return engine.About{}, fmt.Errorf("it uses version %s of the protocol, want %d", short(fields[1]), protocol)
	}
	about := engine.About{Name: fields[2]}
	if len(fields) > 3 {
		about.Version = fields[3]
	}
	return about, nil
}

// short cuts a text to a length that fits into a message.
func short(text string) string { return fmt.Sprintf("%.20q", text) }

// call is a request to the child.
type call struct {
	ID        uint64
	Schemas   uint64            // the number of an operation
	Operation *engine.Operation // with the first call for that number

	Asks        asks
	Status      int
	ContentType string
	Text        []byte
	Request     engine.Request
}

type asks int

const (
	requestBody asks = iota + 1
	responseBody
	parameters
)

// answer is the response to a call.
type answer struct {
	ID     uint64
	Faults []engine.Fault
	Error  string // why the engine could not judge
}

// maxMessage is the largest size of a received message in bytes.
const maxMessage = 64 << 20

// receiver reads values of bounded size.
type receiver struct {
	*gob.Decoder
	bounded *io.LimitedReader
}

func newReceiver(r io.Reader) *receiver {
	bounded := &io.LimitedReader{R: r}
	return &receiver{gob.NewDecoder(bounded), bounded}
}

func (r *receiver) next(into any) error {
	r.bounded.N = maxMessage
	return r.Decode(into)
}

// sender writes values, one at a time.
type sender struct {
	mu sync.Mutex
	*gob.Encoder
}

func (s *sender) send(value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Encode(value)
}
