package format

import (
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// inJSON makes a decoder of a function that reads an entry in JSON.
func inJSON(read func(r record.Raw, entry tree.Value) (record.Draft, error)) record.Decoder {
	return func(r record.Raw) (record.Item, error) {
		entry, err := record.ParseJSON(r.Bytes)
		if err != nil {
			return record.Item{}, r.Malformed(err)
		}
		d, err := read(r, entry)
		if err != nil {
			return record.Item{}, r.Malformed(err)
		}
		return r.ItemOf(d)
	}
}

// foldKeys walks down by keys like get, whatever their case.
func foldKeys(v tree.Value, path ...string) tree.Value {
	for _, key := range path {
		next := tree.Value{}
		for i, k := range v.Keys {
			if strings.EqualFold(k, key) {
				next = v.Items[i]
			}
		}
		v = next
	}
	return v
}

// named returns the texts of objects with a name and values, as in [{"name": "A", "value": "b"}]. Those that are
// disabled are left out.
func named(v tree.Value, name, text string) recording.Headers {
	headers := recording.Headers{}
	for _, item := range v.Items {
		if item.Get("disabled").Text == "true" {
			continue
		}
		for _, each := range item.Get(text).All() {
			headers = append(headers, [2]string{item.Get(name).Text, each})
		}
	}
	return headers
}

// heldValue takes a body that is a text, or the value that was read from it.
func heldValue(v tree.Value) record.Body {
	if v.Kind == tree.Object || v.Kind == tree.List {
		return record.Body{Bytes: v.AppendJSON(nil), IsUnsized: true}
	}
	return record.TextBody(v.Text)
}

// heldBase64 takes a body in base64.
func heldBase64(text string) record.Body {
	plain, err := decodePieces(text)
	if err != nil {
		return record.Body{Doubt: record.DoubtEncoding}
	}
	return record.Body{Bytes: plain}
}

// withQuery adds parameters to a URL.
func withQuery(address string, parameters recording.Headers) string {
	parts := make([]string, 0, len(parameters))
	for _, p := range parameters {
		parts = append(parts, url.QueryEscape(p[0])+"="+url.QueryEscape(p[1]))
	}
	switch {
	case len(parts) == 0:
		return address
	case strings.Contains(address, "?"):
		return address + "&" + strings.Join(parts, "&")
	}
	return address + "?" + strings.Join(parts, "&")
}
