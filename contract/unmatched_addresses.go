package contract

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
)

// maxUnmatched bounds how many addresses without an owner are kept apart.
const maxUnmatched = 1000

// unmatchedAddresses counts the addresses that belong to no interface, or to several.
type unmatchedAddresses struct {
	counted map[addressKey]*unmatchedAddress
	omitted int // exchanges with addresses beyond those that are kept apart
}

type addressKey struct{ method, url string }

type unmatchedAddress struct {
	report.Unmatched
	address *url.URL // of the first exchange, as it was: for the hint, never for a report
}

func (a *unmatchedAddresses) take(r *judge.Result) {
	u, err := ownership.AddressOf(&r.Item.Request)
	path := ""
	if err == nil {
		path = u.EscapedPath()
	}
	method, path := ownership.Shown(r.Item.Request.Method, path)
	key := addressKey{method, shownURL(u, path)}
	one := a.counted[key]
	if one == nil {
		if len(a.counted) >= maxUnmatched {
			a.omitted++
			return
		}
		if a.counted == nil {
			a.counted = map[addressKey]*unmatchedAddress{}
		}
		one = &unmatchedAddress{address: u, Unmatched: report.Unmatched{
			Method: method, URL: key.url, Claimants: append([]string{}, r.Owner.Claimants...), Exchange: r.Item.Number,
		}}
		a.counted[key] = one
	}
	one.Count++
}

// shownURL returns an address that may be shown: without user, query and fragment, and with the given path.
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

// report lists the addresses, the most frequent first, each with what would give it an owner. The note counts
// those that are not listed.
func (a *unmatchedAddresses) report(j *judge.Judge) (list []report.Unmatched, note string) {
	for _, one := range a.counted {
		switch {
		case len(one.Claimants) > 0:
			one.Hint = "give each of them its own base address"
		case one.address != nil:
			one.Hint = j.Addresses().Hint(one.Method, one.address)
		}
		list = append(list, one.Unmatched)
	}
	slices.SortFunc(list, func(x, y report.Unmatched) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Exchange, y.Exchange), cmp.Compare(x.URL, y.URL))
	})
	if a.omitted > 0 {
		note = fmt.Sprintf("%d more exchanges do not belong to an interface, at other addresses than the %d that are listed",
			a.omitted, maxUnmatched)
	}
	return list, note
}
