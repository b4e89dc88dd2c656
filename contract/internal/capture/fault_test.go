package capture_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

const fault = "fault-1; answer=injected; effect=none"

func TestFaults(t *testing.T) {
	t.Parallel()
	failed := func(field, header string) *recording.Exchange {
		e := &recording.Exchange{
			Fault: field, Request: recording.Request{Method: "GET", URL: "http://h/a"},
			Response: &recording.Response{Status: 503},
		}
		if header != "" {
			e.Response.Headers = recording.Headers{{"X-Understudy-FAULT", header}}
		}
		return e
	}
	for name, c := range map[string]struct {
		exchange *recording.Exchange
		want     string
	}{
		"are read":                              {failed(fault, ""), fault},
		"are read from the header":              {failed("", fault), fault},
		"are read from the field first":         {failed(fault, "fault-2; answer=own"), fault},
		"are not read from headers of others":   {failed("", "a fault, no doubt"), ""},
		"are not there where there are none":    {failed("", ""), ""},
		"are read if there was no answer":       {&recording.Exchange{Fault: fault, Request: failed("", "").Request}, fault},
		"in memory are taken from headers, too": {failed("", fault), fault},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ndjson, har bytes.Buffer
			one := slices.Values([]*recording.Exchange{c.exchange})
			if err := errors.Join(recording.Write(&ndjson, c.exchange), recording.WriteHAR(&har, one)); err != nil {
				t.Fatal(err)
			}
			field := c.exchange.Fault
			for from, source := range map[string]record.Source{
				"NDJSON": capture.Read("r", &ndjson), "HAR": capture.Read("r", &har), "memory": record.Exchanges("r", one),
			} {
				for item, err := range source.Items() {
					if err != nil || item.Fault != c.want {
						t.Errorf("%s has the fault %q, want %q; %v", from, item.Fault, c.want, err)
					}
				}
			}
			if c.exchange.Fault != field {
				t.Errorf("the exchange of the caller has changed: %q", c.exchange.Fault)
			}
		})
	}
	t.Run("of other tools' recordings are read from the header", func(t *testing.T) {
		t.Parallel()
		cassette := "interactions:\n- request: {method: GET, url: http://h/a}\n  response:\n    status: {code: 503}\n" +
			"    headers: {X-Understudy-Fault: [" + fault + "]}\n    body: ''\n"
		items, problems := read(cassette)
		if len(items) != 1 || items[0].Fault != fault {
			t.Errorf("%v %+v", problems, items)
		}
	})
	t.Run("that are none are explained", func(t *testing.T) {
		t.Parallel()
		_, problems := read(strings.Replace(first, `"seq":1`, `"fault":"a b","seq":1`, 1))
		if len(problems) != 1 || !strings.Contains(problems[0], "/fault does not match pattern") {
			t.Errorf("%q", problems)
		}
	})
}
