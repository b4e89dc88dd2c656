package console

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/specs"
)

// view is one page on its way to a browser.
type view struct {
	*serverConsole
	client
	w http.ResponseWriter
	r *http.Request

	World string // that the page is about; empty if it is about none
	up    string // from the page's address to the console's root
}

// page holds what every page shows; Body is its own.
type page struct {
	*view
	Title   string
	Section string // of the navigation
	Worlds  []world
	Clock   clock
	Result  *result // of what the person did last
	Body    any
}

// world is a world in the list of worlds.
type world struct {
	ID       string            `json:"id"`
	Scenario string            `json:"scenario"`
	Fork     string            `json:"fork"`
	Seed     uint64            `json:"seed"`
	Clock    clock             `json:"clock"`
	Bytes    int64             `json:"bytes"`
	Keys     map[string]string `json:"keys"`
}

type clock struct {
	Mode string    `json:"mode"`
	Now  time.Time `json:"now"`
}

const defaultWorld = "default"

func (s *serverConsole) newView(w http.ResponseWriter, r *http.Request) *view {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	up := strings.Repeat("../", strings.Count(path, "/"))
	if up == "" {
		up = "./"
	}
	return &view{
		serverConsole: s, w: w, r: r, up: up, World: r.PathValue("world"),
		client: client{
			server: s.server, ctx: r.Context(), host: r.Host, secure: r.TLS != nil, token: tokenOf(r),
		},
	}
}

// show shows a page, or why it cannot be shown.
func (s *serverConsole) show(w http.ResponseWriter, r *http.Request, show func(*view) error) {
	v := s.newView(w, r)
	err := show(v)
	if err == nil || r.Context().Err() != nil {
		return
	}
	status, refused := http.StatusInternalServerError, (*refusal)(nil)
	if errors.As(err, &refused) {
		status = refused.Status
	} else {
		s.log.Error("console", slog.String("page", r.URL.Path), slog.Any("error", err))
	}
	if status == http.StatusUnauthorized {
		v.World = ""
		err = v.render(status, "sign-in", page{
			Title: "Sign in", Body: signInPage{Back: strings.TrimPrefix(r.URL.RequestURI(), "/"), IsWrong: v.token != ""},
		})
	} else {
		err = v.problem(status, err.Error())
	}
	if err != nil {
		http.Error(w, "the page cannot be shown; the log says why", http.StatusInternalServerError)
		s.log.Error("console", slog.String("page", r.URL.Path), slog.Any("error", err))
	}
}

type signInPage struct {
	Back    string
	IsWrong bool
}

// problem shows a page that says why there is no other.
func (v *view) problem(status int, message string) error {
	v.World = ""
	return v.render(status, "problem", page{Title: http.StatusText(status), Body: message})
}

// missing is the page of addresses that have none.
func (v *view) missing() error {
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		return v.problem(http.StatusMethodNotAllowed, "Forms and links of the console lead to other addresses.")
	}
	return v.problem(http.StatusNotFound, "The console has no page at this address.")
}

// ok renders a page with what all pages of a world have.
func (v *view) ok(template, section, title string, body any) error {
	p := page{Title: title, Section: section, Body: body}
	var list struct {
		Worlds []world `json:"worlds"`
	}
	if err := v.get("worlds", &list); err != nil {
		return err
	}
	p.Worlds = list.Worlds
	isThere := v.World == ""
	for _, w := range list.Worlds {
		if w.ID == v.World {
			isThere, p.Clock = true, w.Clock
		}
	}
	if !isThere {
		return v.problem(http.StatusNotFound, "World "+v.World+" was not found.")
	}
	p.Result = v.results.get(v.r.URL.Query().Get("result"))
	return v.render(http.StatusOK, template, p)
}

// render writes a page as a whole, so that one that fails is not seen in part.
func (v *view) render(status int, name string, p page) error {
	p.view = v
	t, err := templates()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t[name].ExecuteTemplate(&out, "layout", p); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Cookie")
	v.w.WriteHeader(status)
	if _, err := v.w.Write(out.Bytes()); v.ctx.Err() == nil {
		return err
	}
	return nil
}

// Link is the address of a page of the console, relative to this one. The parts are escaped.
func (v *view) Link(parts ...string) string {
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return v.up + strings.Join(parts, "/")
}

// In is the address of a page of the world that this page is about, or of the default world.
func (v *view) In(parts ...string) string {
	return v.Link(append([]string{"w", v.WorldOrDefault()}, parts...)...)
}

// Asset is the address of a file that belongs to the console.
func (v *view) Asset(name string) string { return v.up + "assets/" + name }

// Here is the address of this page, relative to the console's root.
func (v *view) Here() string { return strings.TrimPrefix(v.r.URL.EscapedPath(), "/") }

// WorldOrDefault is the world that the page is about; the default one if it is about none.
func (v *view) WorldOrDefault() string {
	if v.World == "" {
		return defaultWorld
	}
	return v.World
}

// goToWorld leads to the page of another world that shows what this one shows.
func (v *view) goToWorld() error {
	query := v.r.URL.Query()
	section := query.Get("section")
	switch section {
	case "journal", "resources", "clock", "script", "rules":
	default:
		section = "journal"
	}
	redirect(v.w, "w/"+url.PathEscape(query.Get("world"))+"/"+section)
	return nil
}

// entry is a line of the navigation.
type entry struct {
	Title, Address string
	IsHere         bool
}

// Navigation lists the sections of the console.
func (p page) Navigation() []entry {
	var entries []entry
	for _, e := range []struct{ section, title, address string }{
		{"home", "Home", p.Link("")},
		{"worlds", "Worlds", p.Link("worlds")},
		{"journal", "Journal", p.In("journal")},
		{"resources", "Resources", p.In("resources")},
		{"clock", "Clock", p.In("clock")},
		{"script", "Script", p.In("script")},
		{"rules", "Rules and coverage", p.In("rules")},
		{"documents", "Documents", p.Link("documents")},
		{"guide", "Guide", p.Link("guide", "")},
	} {
		entries = append(entries, entry{e.title, e.address, e.section == p.Section})
	}
	return entries
}

// Interfaces names those that are served.
func (v *view) Interfaces() ([]string, error) {
	c, err := v.catalog()
	if err != nil {
		return nil, err
	}
	return c.names(), nil
}

// HasPlatform reports whether an interface of the platform is served.
func (v *view) HasPlatform() (bool, error) {
	c, err := v.catalog()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(c.documents, func(d *specs.Document) bool { return !d.Interface.IsOwn() }), nil
}

// Has reports whether an interface is served.
func (v *view) Has(name string) (bool, error) {
	c, err := v.catalog()
	return err == nil && c.document(specs.Interface(name)) != nil, err
}

// ExampleKind names a kind of objects.
func (v *view) ExampleKind() (string, error) {
	c, err := v.catalog()
	if err != nil || len(c.kinds) == 0 || c.byName["workflow.pool"] != nil {
		return "workflow.pool", err
	}
	return c.kinds[0].Kind(), nil
}

// FirstRequest is a request to the world that needs nothing to be there, as curl.
func (v *view) FirstRequest() (string, error) {
	c, err := v.catalog()
	if err != nil {
		return "", err
	}
	o := c.simplest()
	return v.curl(v.request(o, nil, nil, keyOf(o)).inWorld(v.WorldOrDefault())), nil
}

// OwnClock reports whether the clock of the page's world shows other times than that on the wall.
func (p page) OwnClock() bool { return p.Clock.Mode != "real" }

// Judges reports whether what the world answers is judged beside it.
func (v *view) Judges() bool { return v.judge != nil }
