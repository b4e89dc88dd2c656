package contract

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// maxStrangers bounds how many addresses without an owner are told apart.
const maxStrangers = 1000

// strangers counts the addresses that belong to no interface, or to several.
type strangers struct {
	known map[strangerKey]*stranger
	rest  int // exchanges with addresses beyond those that are told apart
}

type strangerKey struct{ method, url string }

type stranger struct {
	report.Stranger
	address *url.URL // of the first exchange, as it was: for the hint, never for a report
}

func (s *strangers) take(r *judge.Result) {
	u, err := judge.AddressOf(&r.Item.Request)
	path := ""
	if err == nil {
		path = u.EscapedPath()
	}
	method, path := judge.Shown(r.Item.Request.Method, path)
	key := strangerKey{method, shownURL(u, path)}
	one := s.known[key]
	if one == nil {
		if len(s.known) >= maxStrangers {
			s.rest++
			return
		}
		if s.known == nil {
			s.known = map[strangerKey]*stranger{}
		}
		one = &stranger{address: u, Stranger: report.Stranger{
			Method: method, URL: key.url, Claimants: append([]string{}, r.Owner.Claimants...), Exchange: r.Item.Number,
		}}
		s.known[key] = one
	}
	one.Count++
}

// shownURL is an address that may be shown: without user, query and fragment, before a path that may be.
func shownURL(u *url.URL, path string) string {
	if u == nil || u.Opaque != "" || path != "" && path[0] != '/' {
		return "(no address)"
	}
	origin := ""
	if u.Host != "" {
		shown := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host)}
		origin = shown.String()
	}
	return origin + path
}

// report lists the addresses, the most frequent first, each with what would give it an owner. The note says what is not
// in the list.
func (s *strangers) report(j *judge.Judge) (list []report.Stranger, note string) {
	for _, one := range s.known {
		switch {
		case len(one.Claimants) > 0:
			one.Hint = "give each of them a base address of its own"
		case one.address != nil:
			one.Hint = j.Hint(one.Method, one.address)
		}
		list = append(list, one.Stranger)
	}
	slices.SortFunc(list, func(a, b report.Stranger) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.URL, b.URL))
	})
	if s.rest > 0 {
		note = fmt.Sprintf("%d more exchanges belong to no interface, at other addresses than the %d that are listed",
			s.rest, maxStrangers)
	}
	return list, note
}
