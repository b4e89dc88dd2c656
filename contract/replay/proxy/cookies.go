package proxy

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxCookies bounds the number of cookies whose services are remembered. The oldest are forgotten first.
const maxCookies = 1 << 16

// cookieOwners remembers which services a cookie is for. Clients keep the cookies of all interfaces for one host, the
// proxy's, and send those of one interface to the others: cookies do not tell ports apart.
type cookieOwners struct {
	seed maphash.Seed

	mu     sync.Mutex
	owners map[uint64]uint64 // sets of targets, by the hash of name and value
	order  []uint64
	next   int
}

func newCookieOwners() *cookieOwners {
	return &cookieOwners{seed: maphash.MakeSeed(), owners: map[uint64]uint64{}}
}

// learn notes for whom a cookie is that a target sets: for itself, and those below its Domain.
func (o *cookieOwners) learn(line string, by *target, all []*target) {
	pair, attributes, _ := strings.Cut(line, ";")
	domain := ""
	for part := range strings.SplitSeq(attributes, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(part), "="); strings.EqualFold(name, "domain") {
			domain = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(value), "."))
		}
	}
	owners := by.bit
	for _, t := range all {
		host := strings.ToLower(t.root.Hostname())
		isBelow := domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
		if isBelow || host == strings.ToLower(by.root.Hostname()) {
			owners |= t.bit
		}
	}
	o.add(maphash.String(o.seed, strings.TrimSpace(pair)), owners)
}

func (o *cookieOwners) add(hash, owners uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.owners[hash]; !known {
		if len(o.order) < maxCookies {
			o.order = append(o.order, hash)
		} else {
			delete(o.owners, o.order[o.next])
			o.order[o.next], o.next = hash, (o.next+1)%maxCookies
		}
	}
	o.owners[hash] |= owners
}

// keepOwn takes the cookies out of a request that are only for other services.
func (o *cookieOwners) keepOwn(header http.Header, t *target) {
	var kept []string
	for _, line := range header["Cookie"] {
		pairs := strings.Split(line, ";")
		own := slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool {
			return o.isForeign(strings.TrimSpace(pair), t)
		})
		if len(own) < len(pairs) {
			line = strings.TrimSpace(strings.Join(own, ";"))
		}
		if line != "" {
			kept = append(kept, line)
		}
	}
	if header["Cookie"] = kept; len(kept) == 0 {
		header.Del("Cookie")
	}
}

func (o *cookieOwners) isForeign(pair string, t *target) bool {
	hash := maphash.String(o.seed, pair)
	o.mu.Lock()
	defer o.mu.Unlock()
	owners := o.owners[hash]
	return owners != 0 && owners&t.bit == 0
}
