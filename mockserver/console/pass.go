package console

import (
	"encoding/base64"
	"net/http"
	"strings"

	"svc.example/understudy/specs"
)

// cookie keeps the token of the control interface between the requests of a browser. The server checks it, not we.
const cookie = "understudy-token"

func tokenOf(r *http.Request) string {
	c, err := r.Cookie(cookie)
	if err != nil {
		return ""
	}
	token, err := base64.RawURLEncoding.DecodeString(c.Value) // as cookies may not have all that tokens may
	if err != nil {
		return ""
	}
	return string(token)
}

// passToControl hands requests of scripts over to the control interface, so that all that a page needs is below one
// address and one sign-in.
func (s *serverConsole) passToControl(w http.ResponseWriter, r *http.Request) {
	if rest := strings.TrimPrefix(r.URL.Path, "/api/"); rest == "console" || strings.HasPrefix(rest, "console/") {
		http.NotFound(w, r)
		return
	}
	inner := r.Clone(r.Context())
	setPath(inner.URL, controlPath+strings.TrimPrefix(r.URL.EscapedPath(), "/api/"))
	inner.Header.Del("Cookie")
	if token := tokenOf(r); token != "" {
		inner.Header.Set("Authorization", "Bearer "+token)
	}
	s.server.ServeHTTP(w, inner)
}

// passToInterface hands requests of scripts over to an interface: /call/workflow/api/pools is
// /workflow/api/pools.
func (s *serverConsole) passToInterface(w http.ResponseWriter, r *http.Request) {
	c, err := s.catalog()
	if err != nil || c.document(specs.Interface(r.PathValue("interface"))) == nil {
		http.NotFound(w, r)
		return
	}
	inner := r.Clone(r.Context())
	setPath(inner.URL, strings.TrimPrefix(r.URL.EscapedPath(), "/call"))
	inner.Header.Del("Cookie")
	s.server.ServeHTTP(w, inner)
}

// signIn keeps the token that a person gives. Whether it is right the next page shows. The cookie is for the console's
// pages only, wherever the address of the console begins for the browser.
func signIn(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimSpace(r.PostFormValue("token"))
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: base64.RawURLEncoding.EncodeToString([]byte(token)),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	redirect(w, local(r.PostFormValue("back")))
}

func signOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: cookie, MaxAge: -1, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	redirect(w, "./")
}

// redirect leads to an address that is relative to that of the request, and so right behind any prefix.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// local returns an address below the console, relative to the console's root: one that leads elsewhere becomes the
// root.
func local(address string) string {
	if address == "" || strings.ContainsAny(address, ":\\\r\n\t") || strings.HasPrefix(address, "/") ||
		strings.Contains(address, "..") {
		return "./"
	}
	return "./" + strings.TrimPrefix(address, "./")
}
