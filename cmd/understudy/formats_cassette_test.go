package main_test

import (
	// as Playwright names its files
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs/recording"
)

// goVCR3 writes what the library leaves empty, too.
func goVCR3(list []*recording.Exchange) ([]byte, error) {
	sent := object{{"remote_addr", ""}, {"request_uri", ""}, {"form", object{}}}
	return goVCR(list, sent, object{{"transfer_encoding", []string{}}, {"trailer", object{}}})
}

func goVCR4(list []*recording.Exchange) ([]byte, error) { return goVCR(list, nil, nil) }

// goVCR writes cassettes of the second version, as do v3 and v4, with further members of requests, and of all messages.
func goVCR(list []*recording.Exchange, sent, both object) ([]byte, error) {
	message := func(length int, more ...member) object {
		o := object{{"proto", ""}, {"proto_major", 0}, {"proto_minor", 0}, {"content_length", length}}
		return append(append(o, both...), more...)
	}
	var items []any
	for i, e := range list {
		r := responseOf(e)
		items = append(items, object{
			{"id", i},
			{"request", append(message(
				0,
				member{"host", ""},
				member{"body", textOf(e.Request.Body)},
				member{"headers", headerOf(e.Request.Headers)},
				member{"url", e.Request.URL},
				member{"method", e.Request.Method},
			), sent...)},
			{"response", message(
				-1,
				member{"body", textOf(r.Body)},
				member{"headers", headerOf(r.Headers)},
				member{"status", http.StatusText(r.Status)},
				member{"code", r.Status},
				member{"duration", e.End.Sub(e.Start).String()},
			)},
		})
	}
	text, err := yaml.Marshal(object{{"version", 2}, {"interactions", items}})
	return append([]byte("---\n"), text...), err
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
