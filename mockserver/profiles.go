package mockserver

import (
	"errors"
	"net/http"

	"svc.example/understudy/mockserver/internal/op"
)

// profilesPrefix is the beginning of the paths of profiles, below that of the control interface.
const profilesPrefix = "/debug/pprof/"

// WithProfiles lets the control interface answer /_understudy/debug/pprof/ by a handler, for those who may use the
// interface. The handler finds requests at /debug/pprof/, as those of net/http/pprof do. They are not linked into the
// mock itself, since that package adds itself to http.DefaultServeMux.
func WithProfiles(handler http.Handler) Option {
	return func(c *config) error {
		if handler == nil {
			return errors.New("profiles: want a handler, such as that of net/http/pprof")
		}
		c.profiles = handler
		return nil
	}
}

// serveProfiles answers a request for a profile.
func (x *exchange) serveProfiles() {
	if err := x.mayControl(); err != nil {
		x.respond(op.Reply{}, err)
		return
	}
	r := x.r.Clone(x.r.Context())
	r.URL.Path, r.URL.RawPath = x.target.path, ""
	x.server.profiles.ServeHTTP(x.w, r)
}
