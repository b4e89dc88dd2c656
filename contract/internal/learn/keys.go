package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/specs/recording"
)

// giveKeys gives each caller a key: 1/admin to the first administrator, 1/write to who only sends events.
func (p *people) giveKeys() {
	admin := ""
	for _, u := range p.users {
		if admin == "" && u.role == "administrator" && !u.isMade {
			admin = u.ref()
		}
	}
	add := func(name, user, identity string) {
		key := "1/" + name
		for n := 2; slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == key && k.User != user }); n++ {
			key = fmt.Sprintf("1/%s%d", name, n)
		}
		i := slices.IndexFunc(p.keys, func(k Key) bool { return k.Key == key })
		if i < 0 {
			p.keys = append(p.keys, Key{Key: key, User: user})
			i = len(p.keys) - 1
		}
		if identity != "" {
			p.keys[i].Recorded = append(p.keys[i].Recorded, p.keyDigest(identity))
		}
	}
	for _, c := range p.callers {
		u := p.byKey[c.identity]
		switch {
		case p.begin.first(imports, c.identity) != "":
			add("write", admin, c.identity)
		case u == nil, u.isMade:
		case u.role == "administrator" && !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }),
			u.ref() == admin:
			add("admin", u.ref(), c.identity)
		default:
			add(word(u.ref()), u.ref(), c.identity)
		}
	}
	if !slices.ContainsFunc(p.keys, func(k Key) bool { return k.Key == "1/admin" }) {
		add("admin", admin, "")
	}
}

// keyDigest returns the digest by which a recorded key is known: that of its mark, where there is a salt for all
// recordings.
func (l *learner) keyDigest(identity string) string {
	if l.Salt != nil && identity != "" {
		identity = (&recording.Redactor{Salt: l.Salt}).Hash(identity)
	}
	return compare.KeyDigest(identity)
}

// word makes the name of a key out of that of a user.
func word(ref string) string {
	name, _, _ := strings.Cut(strings.ToLower(ref), "@")
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(name, "-"), "user")
}
