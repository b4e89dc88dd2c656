package format

import (
	"regexp"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
)

var firstItem = regexp.MustCompile(`^(?:---[ \t]*\r?\n)?[ \t\r\n]*-\s+["']?request["']?[ \t]*:`)

// isListing recognises cassettes that are a list of interactions, in YAML, as php-vcr and the first versions of VCR.py
// write them.
func isListing(h *record.Head) bool {
	return firstItem.Match(h.Text) && !strings.Contains(string(h.Text), "\x00")
}

// isJSONListing recognises the same in JSON.
func isJSONListing(h *record.Head) bool { return h.Begins("[") && h.Has("/0/request") }

func readListing(in *record.Input, yield func(record.Raw, error) bool) bool {
	return (&cassette{Input: in, yield: yield, indent: -1, part: after, outer: after, found: true}).read()
}

// partsOf joins the parts of a URL, which the first versions of VCR.py keep apart.
func partsOf(request tree.Value) string {
	host, path := request.Get("host").Text, request.Get("path").Text
	if host == "" || path == "" {
		return ""
	}
	scheme, port := request.Get("protocol").Text, request.Get("port").Text
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return scheme + "://" + host + path
}
