package proxy

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"svc.example/understudy/internal/relay"
)

// refuse answers for the proxy itself, in a form that no service has.
func (p *Proxy) refuse(w http.ResponseWriter, problem relay.Problem) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set(relay.ErrorHeader, problem.Kind)
	delete(header, "Date")
	w.WriteHeader(problem.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"error": map[string]string{"kind": problem.Kind, "message": "understudy proxy: " + problem.Message},
	})
}

// isAdmitted reports whether a request has the proxy's token, if there is one. Any other is refused.
func (p *Proxy) isAdmitted(w http.ResponseWriter, r *http.Request) bool {
	if p.config.Token == "" || p.hasToken(r.Header) {
		return true
	}
	w.Header()["Proxy-Authenticate"] = []string{`Basic realm="understudy proxy"`, `Bearer realm="understudy proxy"`}
	p.refuse(w, relay.Problem{
		Status: http.StatusProxyAuthRequired, Kind: "token",
		Message: "want the token of the proxy, as Proxy-Authorization: Bearer TOKEN, as the password of Basic, or as " +
			relay.TokenHeader + ": TOKEN",
	})
	return false
}

func (p *Proxy) hasToken(header http.Header) bool {
	for _, given := range append(header.Values(relay.TokenHeader), proxyCredential(header.Get("Proxy-Authorization"))) {
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
