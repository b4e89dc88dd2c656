package own

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// authenticate refuses a request that shows none of the credentials that the document wants. Any that is well-formed
// will do: who may do what is not in a document.
func authenticate(o *specs.Operation, r *http.Request) error {
	var wanted []string
	challenge := ""
	for _, alternative := range o.Security() {
		missing := ""
		for _, scheme := range alternative {
			if !shows(r, scheme) {
				missing = describe(scheme)
				challenge = challengeOf(scheme)
			}
		}
		if missing == "" {
			return nil
		}
		wanted = append(wanted, missing)
	}
	if len(wanted) == 0 {
		return nil
	}
	refusal := &op.Error{Code: op.CodeUnauthorized, Message: "no credentials: send " + strings.Join(wanted, ", or ")}
	if challenge != "" {
		refusal.Header = [][2]string{{"Www-Authenticate", challenge}}
	}
	return refusal
}

// shows reports whether a request shows a credential of a scheme.
func shows(r *http.Request, s *openapi3.SecurityScheme) bool {
	switch s.Type {
	case "apiKey":
		switch s.In {
		case "query":
			query, _ := address.Query(r.URL.RawQuery)
			return query.Get(s.Name) != ""
		case "cookie":
			cookie, err := r.Cookie(s.Name)
			return err == nil && cookie.Value != ""
		}
		return r.Header.Get(s.Name) != ""
	case "http", "oauth2", "openIdConnect":
		word, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(word, cmp.Or(s.Scheme, "bearer")) || strings.TrimSpace(rest) == "" {
			return false
		}
		if strings.EqualFold(s.Scheme, "basic") {
			plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
			return err == nil && strings.Contains(string(plain), ":")
		}
	}
	return true // such as mutual TLS, which no request shows
}

// describe says how a credential is sent, in words that no log takes for one.
func describe(s *openapi3.SecurityScheme) string {
	scheme := cmp.Or(s.Scheme, "bearer")
	switch {
	case s.Type == "apiKey" && s.In == "header":
		return "a key in the header " + s.Name
	case s.Type == "apiKey":
		return fmt.Sprintf("the %s parameter %s", s.In, s.Name)
	case strings.EqualFold(scheme, "basic"):
		return "the header Authorization with the scheme Basic, and user and password in base64"
	}
	return "the header Authorization with the scheme " + strings.ToUpper(scheme[:1]) + scheme[1:]
}

func challengeOf(s *openapi3.SecurityScheme) string {
	switch {
	case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
		return `Basic realm="understudy"`
	case s.Type == "http" && strings.EqualFold(s.Scheme, "bearer"), s.Type == "oauth2", s.Type == "openIdConnect":
		return "Bearer"
	}
	return ""
}
