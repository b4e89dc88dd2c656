package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

const (
	maxUnmatched  = 1000              // addresses without an owner in the report
	maxKeptApart  = 20 * maxUnmatched // those that are counted, so that the most frequent are among them
	maxHintedText = 2000              // bytes of an address
)

// unmatchedAddresses counts the addresses that belong to no interface, or to several. If there are too many, those that
// are first as texts are kept apart, so that what is kept does not depend on the order in which they come.
type unmatchedAddresses struct {
	Counted map[addressKey]*unmatchedAddress
	Omitted int // exchanges with addresses beyond those that are kept apart
}

type addressKey struct{ Method, URL string }

func (k addressKey) compare(other addressKey) int {
	return cmp.Or(cmp.Compare(k.URL, other.URL), cmp.Compare(k.Method, other.Method))
}

type unmatchedAddress struct {
	report.Unmatched
	Address string // of the first exchange, without what may be secret: for the hint, never for a report
}

func (a *unmatchedAddresses) add(r *judge.Result) {
	u, err := ownership.AddressOf(&r.Item.Request)
	path := ""
	if err == nil {
		path = specs.MergeSlashes(u.EscapedPath())
	}
	method, path := ownership.Shown(r.Item.Request.Method, path)
	key := addressKey{method, shownURL(u, path)}
	one := a.Counted[key]
	if one == nil {
		one = &unmatchedAddress{Address: hintedAddress(u), Unmatched: report.Unmatched{
			Method: method, URL: key.URL, Claimants: r.Owner.Claimants, Exchange: r.Item.Number,
		}}
		a.put(key, one)
	}
	one.Count++
	a.drop(2 * maxKeptApart)
}

func (a *unmatchedAddresses) put(key addressKey, one *unmatchedAddress) {
	if a.Counted == nil {
		a.Counted = map[addressKey]*unmatchedAddress{}
	}
	a.Counted[key] = one
}

// drop drops addresses beyond those that are kept apart, if there are more than so many.
func (a *unmatchedAddresses) drop(most int) {
	if len(a.Counted) <= most {
		return
	}
	keys := slices.SortedFunc(maps.Keys(a.Counted), addressKey.compare)
	for _, key := range keys[maxKeptApart:] {
		a.Omitted += a.Counted[key].Count
		delete(a.Counted, key)
	}
}

func (a *unmatchedAddresses) merge(other *unmatchedAddresses) {
	a.Omitted += other.Omitted
	for key, from := range other.Counted {
		one := a.Counted[key]
		if one == nil {
			clone := *from
			a.put(key, &clone)
			continue
		}
		count := one.Count + from.Count
		if from.Exchange < one.Exchange {
			*one = *from
		}
		one.Count = count
	}
	a.drop(2 * maxKeptApart)
}

// hintedAddress returns an address without user, query and fragment, or the empty string if it is none.
func hintedAddress(u *url.URL) string {
	if u == nil {
		return ""
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if text := bare.String(); len(text) <= maxHintedText {
		return text
	}
	return ""
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
	a.drop(maxKeptApart)
	addresses := slices.SortedFunc(maps.Values(a.Counted), func(x, y *unmatchedAddress) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Exchange, y.Exchange), cmp.Compare(x.URL, y.URL))
	})
	omitted := a.Omitted
	for i, one := range addresses {
		if i >= maxUnmatched {
			omitted += one.Count
			continue
		}
		shown := one.Unmatched
		shown.Claimants = append([]string{}, shown.Claimants...) // never nil
		if len(shown.Claimants) > 0 {
			shown.Hint = "give each of them its own base address"
		} else if u, err := url.Parse(one.Address); err == nil && one.Address != "" {
			shown.Hint = j.Addresses().Hint(shown.Method, u)
		}
		list = append(list, shown)
	}
	if omitted > 0 {
		note = fmt.Sprintf("%d more exchanges do not belong to an interface, at other addresses than the %d that are listed",
			omitted, maxUnmatched)
	}
	return list, note
}
