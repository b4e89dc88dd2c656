package mockserver

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// preflightAge is for how many seconds a browser may remember that a page may send events. None remembers it longer.
const preflightAge = "7200"

// isPreflight reports whether a browser asks if a page of another origin may send a request.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight allows pages of any origin to send events. It does so at wrong paths too, so that the page gets to read the
// refusal. The request is the browser's, not the client's: the journal has no entry of it.
func (v *loadedInterface) preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for _, line := range allowedOrigin(r) {
		header.Set(line[0], line[1])
	}
	header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", http.MethodPost)
	header.Set("Access-Control-Allow-Headers", strings.Join(v.allowedHeaders(r), ", "))
	header.Set("Access-Control-Max-Age", preflightAge)
	w.WriteHeader(http.StatusNoContent)
}

// allowedHeaders lists the headers that a page may send: what the interface reads, and what the preflight asks for,
// since browsers take no * where a page sends credentials.
func (v *loadedInterface) allowedHeaders(r *http.Request) []string {
	list := []string{"Authorization", "Content-Type", v.doc.Brand.WriteKeyHeader(), worldHeader}
	for line := range slices.Values(r.Header.Values("Access-Control-Request-Headers")) {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimSpace(name)
			isListed := slices.ContainsFunc(list, func(other string) bool { return strings.EqualFold(other, name) })
			if !isListed && httpguts.ValidHeaderFieldName(name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// allowedOrigin returns the headers that let a page read the answer to its request, if a page sent it, also where it
// sends credentials with it, as the platform's own client does (client).
func allowedOrigin(r *http.Request) [][2]string {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	return [][2]string{
		{"Access-Control-Allow-Origin", origin}, {"Access-Control-Allow-Credentials", "true"}, {"Vary", "Origin"},
	}
}
