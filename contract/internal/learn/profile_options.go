package learn

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// profileOption is a profile option: its default, and the values that users had set when the recording began.
type profileOption struct {
	key      string
	fallback string
	isShown  bool // the default, by a user whose own value was deleted
	own      map[string]string
}

// options lists the profile options by their keys. What users are shown to have is taken for the default if it is the
// first value, and for their own one if the default is another.
func (l *learner) options() (list []*profileOption) {
	index := map[string]*profileOption{}
	get := func(key string) *profileOption {
		if index[key] == nil {
			index[key] = &profileOption{key: key, own: map[string]string{}}
			list = append(list, index[key])
		}
		return index[key]
	}
	first, isSet := map[[2]string]string{}, map[[2]string]string{} // by user and key
	for _, e := range l.exchanges {
		user := param(e, "user_id")
		if !e.ok() || !strings.Contains(e.name(), "ProfileOption") {
			continue
		}
		body, _ := e.JSONResponse()
		switch e.name() {
		case "core.setProfileOption", "core.deleteProfileOption":
			isSet[[2]string{user, param(e, "key")}] = e.name()
		}
		body.ForEach(func(name, value gjson.Result) bool {
			o, at := get(name.Str), [2]string{user, name.Str}
			_, known := first[at]
			switch {
			case isSet[at] == "core.deleteProfileOption":
				o.fallback, o.isShown = value.String(), true
			case isSet[at] == "" && !known:
				first[at] = value.String()
			}
			return true
		})
		if key := param(e, "key"); key != "" {
			get(key)
		}
	}
	for _, o := range list {
		o.settle(first)
	}
	slices.SortFunc(list, func(a, b *profileOption) int { return strings.Compare(a.key, b.key) })
	return list
}

// settle distinguishes the default of an option from the values of users.
func (o *profileOption) settle(first map[[2]string]string) {
	count := map[string]int{}
	for at, value := range first {
		if at[1] == o.key {
			count[value]++
		}
	}
	if !o.isShown {
		best := 0
		for value, n := range count {
			if n > best || n == best && value < o.fallback {
				best, o.fallback = n, value
			}
		}
		if _, hasNone := count[""]; hasNone {
			o.fallback, o.isShown = "", true // where there is a default, all have a value
		}
	}
	for at, value := range first {
		if at[1] == o.key && value != o.fallback {
			o.own[at[0]] = value
		}
	}
}

func (l *learner) profileOptions() *sequence {
	s := newSequence()
	for _, o := range l.options() {
		m := newMapping()
		m.set("key", o.key)
		switch {
		case o.fallback == "":
		case o.isShown:
			m.set("default", o.fallback)
		default:
			m.guess("default", o.fallback, "no answer says whether it is the default, or the user's own")
		}
		s.add(m)
	}
	return s
}
