package capture

import (
	"regexp"
	"strings"
)

var firstItem = regexp.MustCompile(`^(?:---[ \t]*\r?\n)?[ \t\r\n]*-\s+["']?request["']?[ \t]*:`)

// isListing recognises cassettes that are a list of interactions, in YAML, as php-vcr and the first versions of VCR.py
// write them.
func isListing(h *head) bool {
	return firstItem.Match(h.text) && !strings.Contains(string(h.text), "\x00")
}

// isJSONListing recognises the same in JSON.
func isJSONListing(h *head) bool { return h.begins("[") && h.has("/0/request") }

func readListing(in *input, yield func(Record, error) bool) bool {
	return (&cassette{input: in, yield: yield, indent: -1, part: after, outer: after, found: true}).read()
}

// partsOf joins the parts of a URL, which the first versions of VCR.py keep apart.
func partsOf(request value) string {
	host, path := request.get("host").text, request.get("path").text
	if host == "" || path == "" {
		return ""
	}
	scheme, port := request.get("protocol").text, request.get("port").text
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return scheme + "://" + host + path
}
