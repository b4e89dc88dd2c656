package proxy

import (
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
)

// isAdmitted reports whether a request has the proxy's token, if there is one. Any other is refused.
func (p *Proxy) isAdmitted(w http.ResponseWriter, r *http.Request) bool {
	if p.config.Token == "" || p.hasToken(r.Header) {
		return true
	}
	w.Header()["Proxy-Authenticate"] = []string{`Basic realm="understudy proxy"`, `Bearer realm="understudy proxy"`}
	p.refuse(w, problem{
		status: http.StatusProxyAuthRequired, kind: "token",
		message: "want the token of the proxy, as Proxy-Authorization: Bearer TOKEN, as the password of Basic, or as " +
			tokenHeader + ": TOKEN",
	})
	return false
}

func (p *Proxy) hasToken(header http.Header) bool {
	for _, given := range append(header.Values(tokenHeader), proxyCredential(header.Get("Proxy-Authorization"))) {
		if subtle.ConstantTimeCompare([]byte(given), []byte(p.config.Token)) == 1 {
			return true
		}
	}
	return false
}

// proxyCredential returns the token in a Proxy-Authorization header: that of Bearer, or the password of Basic.
func proxyCredential(value string) string {
	scheme, rest, _ := strings.Cut(value, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		return strings.TrimSpace(rest)
	case "basic":
		plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		if err != nil {
			return ""
		}
		_, password, _ := strings.Cut(string(plain), ":")
		return password
	}
	return ""
}
