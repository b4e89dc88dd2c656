package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
)

const httprrMark = "httprr trace v1"

// isHTTPRR recognises the traces of Go's httprr: "httprr trace v1", then for each exchange a line with the lengths of
// its request and response, and these, one behind the other, as they were sent.
func isHTTPRR(h *record.Head) bool { return h.Begins(httprrMark) }

func readHTTPRR(in *record.Input, yield func(record.Raw, error) bool) bool {
	if _, _, err := in.ReadLine(); err != nil {
		return yield(record.Raw{}, in.Broken(err))
	}
	for {
		place := in.Place()
		line, _, err := in.ReadLine()
		switch text := strings.TrimSpace(string(line)); {
		case err != nil:
			return yield(record.Raw{}, in.Broken(err))
		case text == "" && in.IsAtEnd():
			return in.Err() == nil || yield(record.Raw{}, in.Broken(in.Err()))
		case text == "":
			continue
		default:
			request, response, err := lengths(text)
			if err != nil {
				return yield(record.Raw{}, &record.ReadError{Position: place, Kind: record.Malformed, Err: err})
			}
			if more, ok := trace(in, place, request, response, yield); !more || !ok {
				return ok
			}
		}
	}
}

// lengths reads "212 1034".
func lengths(text string) (request, response int64, err error) {
	first, second, _ := strings.Cut(text, " ")
	request, err = strconv.ParseInt(first, 10, 32)
	if err == nil {
		response, err = strconv.ParseInt(second, 10, 32)
	}
	if err != nil || request < 0 || response < 0 {
		return 0, 0, fmt.Errorf("unexpected %.40q; want the lengths of a request and its response", text)
	}
	return request, response, nil
}

// trace takes an exchange of known lengths. More is false at the end of the file, ok when yield was.
func trace(
	in *record.Input, place record.Position, request, response int64, yield func(record.Raw, error) bool,
) (more, ok bool) {
	raw, err := in.Take(request + response)
	switch {
	case errors.Is(err, record.ErrTooLarge):
		return true, yield(record.Raw{}, &record.ReadError{Position: place, Kind: record.TooLarge, Err: err})
	case in.Err() != nil:
		return false, yield(record.Raw{}, in.Broken(in.Err()))
	case err != nil:
		return false, yield(record.Raw{}, in.Problem(record.Truncated, errors.New("the recording ends within an exchange")))
	}
	return true, yield(record.Raw{Position: place, Bytes: raw, Decoder: func(r record.Raw) (record.Item, error) {
		d, err := ofWire(r.Bytes[:request], r.Bytes[request:])
		if err != nil {
			return record.Item{}, r.Malformed(err)
		}
		return r.ItemOf(d)
	}}, nil)
}
