package main_test

import (
	// as Playwright names its files
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	cassette3 "gopkg.in/dnaeon/go-vcr.v3/cassette"
	cassette4 "gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"

	"svc.example/understudy/specs/recording"
)

func goVCR3(file string, list []*recording.Exchange) error {
	c := cassette3.New(file)
	for _, e := range list {
		r := responseOf(e)
		c.AddInteraction(&cassette3.Interaction{
			Request: cassette3.Request{
				Method: e.Request.Method, URL: e.Request.URL, Headers: headerOf(e.Request.Headers), Body: textOf(e.Request.Body),
			},
			Response: cassette3.Response{
				Code: r.Status, Status: http.StatusText(r.Status), Headers: headerOf(r.Headers), Body: textOf(r.Body),
				ContentLength: -1, Duration: e.End.Sub(e.Start),
			},
		})
	}
	return c.Save()
}

func goVCR4(file string, list []*recording.Exchange) error {
	c := cassette4.New(file)
	c.MarshalFunc = yaml.Marshal // its recorder sets it
	for _, e := range list {
		r := responseOf(e)
		c.AddInteraction(&cassette4.Interaction{
			Request: cassette4.Request{
				Method: e.Request.Method, URL: e.Request.URL, Headers: headerOf(e.Request.Headers), Body: textOf(e.Request.Body),
			},
			Response: cassette4.Response{
				Code: r.Status, Status: http.StatusText(r.Status), Headers: headerOf(r.Headers), Body: textOf(r.Body),
				ContentLength: -1, Duration: e.End.Sub(e.Start),
			},
		})
	}
	return c.Save()
}

func goVCR1(list []*recording.Exchange) ([]byte, error) {
	var items []any
	for _, e := range list {
		r := responseOf(e)
		items = append(items, object{
			{"request", object{
				{"body", textOf(e.Request.Body)},
				{"form", object{}},
				{"headers", headerOf(e.Request.Headers)},
				{"url", e.Request.URL},
				{"method", e.Request.Method},
			}},
			{"response", object{
				{"body", textOf(r.Body)},
				{"headers", headerOf(r.Headers)},
				{"status", http.StatusText(r.Status)},
				{"code", r.Status},
				{"duration", ""},
			}},
		})
	}
	return yaml.Marshal(object{{"version", 1}, {"interactions", items}})
}

// heldBody returns a body as VCR.py and Ruby VCR hold it, and JSON where it can hold no bytes.
func heldBody(b *recording.Body, inJSON bool) object {
	text := textOf(b)
	if inJSON && !utf8.ValidString(text) {
		return object{{"encoding", "ASCII-8BIT"}, {"base64_string", []byte(text)}}
	}
	return object{{"encoding", "UTF-8"}, {"string", text}}
}

func vcrPy(list []*recording.Exchange, inJSON bool) object {
	var items []any
	for _, e := range list {
		r := responseOf(e)
		var body any = textOf(e.Request.Body)
		if inJSON && !utf8.ValidString(textOf(e.Request.Body)) {
			body = heldBody(e.Request.Body, true)
		}
		items = append(items, object{
			{"request", object{
				{"body", body},
				{"headers", headerOf(e.Request.Headers)},
				{"method", e.Request.Method},
				{"uri", e.Request.URL},
			}},
			{"response", object{
				{"body", heldBody(r.Body, inJSON)[1:]},
				{"headers", headerOf(r.Headers)},
				{"status", object{{"code", r.Status}, {"message", http.StatusText(r.Status)}}},
			}},
		})
	}
	return object{{"interactions", items}, {"version", 1}}
}

func rubyVCR(list []*recording.Exchange, inJSON bool) object {
	var items []any
	for _, e := range list {
		r := responseOf(e)
		items = append(items, object{
			{"request", object{
				{"method", strings.ToLower(e.Request.Method)},
				{"uri", e.Request.URL},
				{"body", heldBody(e.Request.Body, inJSON)},
				{"headers", headerOf(e.Request.Headers)},
			}},
			{"response", object{
				{"status", object{{"code", r.Status}, {"message", http.StatusText(r.Status)}}},
				{"headers", headerOf(r.Headers)},
				{"body", heldBody(r.Body, inJSON)},
				{"http_version", nil},
			}},
			{"recorded_at", e.End.UTC().Format(http.TimeFormat)},
		})
	}
	return object{{"http_interactions", items}, {"recorded_with", "VCR 6.0.0"}}
}

type cassetteOf func(list []*recording.Exchange, inJSON bool) object

func inYAML(f cassetteOf) format {
	return func(list []*recording.Exchange) ([]byte, error) { return yaml.Marshal(f(list, false)) }
}

func inJSON(f cassetteOf) format {
	return func(list []*recording.Exchange) ([]byte, error) { return json.Marshal(f(list, true)) }
}
