package proxy

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"

	"svc.example/understudy/specs"
)

// Headers of the proxy's own.
const (
	loopHeader  = "X-Understudy-Proxy" // in requests to services: the proxies that a request came through
	tokenHeader = "X-Understudy-Token" //nolint:gosec // the name of a header
	errorHeader = "X-Understudy-Error" // in answers that are the proxy's own
)

// rewriteRequest makes the request that is sent to the service: the client's, but for the address.
func (x *exchange) rewriteRequest(r *httputil.ProxyRequest) {
	out := r.Out
	out.URL, out.Host = x.url, ""
	keepForwarded(r)
	for _, name := range []string{"Origin", "Referer"} {
		if value := out.Header.Get(name); value != "" {
			out.Header.Set(name, x.inward(value))
		}
	}
	out.Header.Del(tokenHeader)
	out.Header.Add(loopHeader, x.proxy.id)
	x.proxy.cookies.keepOwn(out.Header, x.target)
	out.Trailer = r.In.Trailer // which the server fills in at the end of the body
}

// keepForwarded puts back what ReverseProxy takes out of requests.
func keepForwarded(r *httputil.ProxyRequest) {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// inward returns an address below the client's view of the interface as the service knows it. Others stay.
func (x *exchange) inward(address string) string {
	rest, ok := strings.CutPrefix(address, x.at.origin)
	if !ok || rest != "" && rest[0] != '/' {
		return address
	}
	service := x.target.root.Scheme + "://" + x.target.root.Host
	path, ok := specs.Below(rest, x.at.prefix)
	if rest == "" || !ok {
		return service + rest
	}
	return service + x.target.root.EscapedPath() + path
}

// linkTarget finds the addresses in a Link header.
var linkTarget = regexp.MustCompile(`<[^<>]*>`)

// rewriteAnswer replaces the service's own addresses in headers by those that the client knows.
func (x *exchange) rewriteAnswer(header http.Header) {
	header.Del("Alt-Svc") // would lead clients past the proxy
	if x.at.isSame {
		return
	}
	for _, name := range []string{"Location", "Content-Location"} {
		for i, value := range header[name] {
			header[name][i] = x.outward(value)
		}
	}
	for i, value := range header["Link"] {
		header["Link"][i] = linkTarget.ReplaceAllStringFunc(value, func(link string) string {
			return "<" + x.outward(link[1:len(link)-1]) + ">"
		})
	}
	var cookies []string
	for _, value := range header["Set-Cookie"] {
		cookies = append(cookies, x.cookie(value))
		if said := x.proxy.cookies.learn(value, x.target, x.proxy.order); said != "" {
			cookies = append(cookies, x.cookie(said))
		}
	}
	if len(cookies) > 0 {
		header["Set-Cookie"] = cookies
	}
	if x.target.root.Scheme == "https" {
		header.Del("Strict-Transport-Security") // is about the service's host
	}
}

// outward returns an address of the service as the client knows it. An address of any other server stays as it is:
// clients do not send their credentials there, as they would to the proxy.
func (x *exchange) outward(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && !strings.HasPrefix(u.Path, "/") {
		return address // relative addresses lead to the same place
	}
	full := x.url.ResolveReference(u)
	path, ok := x.target.below(full)
	if !ok {
		if u.Host == "" {
			return full.String()
		}
		return address
	}
	known := x.at.prefix + path
	if known == "" {
		known = "/"
	}
	if full.RawQuery != "" || full.ForceQuery {
		known += "?" + full.RawQuery
	}
	if full.Fragment != "" {
		known += "#" + full.EscapedFragment()
	}
	if u.Host == "" {
		return known
	}
	return x.at.origin + known
}

// cookie returns a Set-Cookie line for the address that the client knows.
func (x *exchange) cookie(line string) string {
	parts := strings.Split(line, ";")
	kept := parts[:1]
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "domain":
			continue // it is for the host that answers, the proxy's
		case "path":
			part = " Path=" + x.cookiePath(value)
		case "secure":
			if strings.HasPrefix(x.at.origin, "http://") {
				continue // the client would not send it back
			}
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ";")
}

// cookiePath returns the path of a cookie as the client knows it.
func (x *exchange) cookiePath(path string) string {
	root := x.target.root.EscapedPath()
	if rest, ok := specs.Below(path, root); ok {
		path = rest
	} else if strings.HasPrefix(root, strings.TrimSuffix(path, "/")+"/") {
		path = "" // it is for more than the service
	}
	if path = x.at.prefix + path; x.at.prefix != "" {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		return "/"
	}
	return path
}
