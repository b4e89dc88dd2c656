package specs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// State is a member of an object that an action sets.
type State struct {
	Member string
	Value  any      // nil takes the member away
	IsTime bool     // it has the time of the action in place of Value
	Of     []string // only where it is one of these, unless there are none
}

// The words by which actions are called that do not begin like the states that they lead to, or that lead out of some.
var (
	intoStates = map[string][]string{
		"remove": {"delet", "remov", "trash"}, "trash": {"trash", "delet"}, "discard": {"discard", "delet"},
		"activate": {"activ"}, "reactivate": {"activ"}, "deactivate": {"inactiv", "deactiv", "disabl"},
		"enable": {"enabl", "activ"}, "disable": {"disabl", "inactiv"}, "resume": {"resum"}, "reopen": {"reopen", "open"},
		"pay": {"paid"}, "send": {"sent"}, "start": {"start", "running"}, "act": {},
	}
	outOfStates = map[string][]string{
		"activate": {"inactiv", "deactiv", "disabl", "suspend", "archiv"}, "deactivate": {"activ", "enabl"},
		"enable": {"disabl", "inactiv"}, "disable": {"enabl", "activ"}, "resume": {"paus", "suspend"}, "reopen": {"clos"},
	}
	restoring = []string{"restore", "undelete", "recover", "untrash", "reinstate", "undo"}
	retired   = []string{"delet", "remov", "trash", "archiv"}
	ofState   = regexp.MustCompile(`^(?:e|ed|ated|[a-z]ed|ied|en)?(at|on|date|time)?$`)
	states    = regexp.MustCompile(`^(?:lifecycle)?(?:status|state)$`)
)

// stateWords returns what the names of states begin with that an action leads to, and of those that it leads out of.
func stateWords(verb string) (into, outOf []string) {
	if i := strings.IndexFunc(verb, func(r rune) bool { return r >= 'A' && r <= 'Z' }); i > 0 {
		verb = verb[:i] // cancel of cancelOrder
	}
	rest, isUndone := strings.CutPrefix(verb, "un")
	known, isKnown := intoStates[verb]
	switch {
	case slices.Contains(restoring, verb):
		return nil, retired
	case isKnown:
		return known, outOfStates[strings.TrimPrefix(verb, "re")]
	case isUndone && len(rest) > 2:
		return nil, []string{strings.TrimRight(rest, "ey")}
	case len(verb) < 3:
		return nil, nil
	}
	return []string{strings.TrimRight(verb, "ey")}, nil
}

// Entered lists the members that an action sets, as its name says and theirs: cancel sets status to cancelled, archive
// sets archived and archived_at, and unarchive takes both back.
func Entered(object *openapi3.SchemaRef, verb string) (list []State) {
	into, outOf := stateWords(verb)
	members := Members(object)
	for _, name := range sortedKeys(members) {
		part, plain := members[name].Value, strings.TrimPrefix(plainName(name), "is")
		if part == nil {
			continue
		}
		isInto, isTime := isOfState(plain, into)
		isOutOf, isTimeOf := isOfState(plain, outOf)
		switch isBool := part.Type.Includes(openapi3.TypeBoolean); {
		case states.MatchString(plain):
			list = append(list, statesOf(name, part, into, outOf)...)
		case isInto && isTime && !isBool, isInto && !isTime && isBool:
			list = append(list, State{Member: name, Value: true, IsTime: isTime})
		case isOutOf && isTimeOf && !isBool:
			list = append(list, State{Member: name})
		case isOutOf && !isTimeOf && isBool:
			list = append(list, State{Member: name, Value: false})
		}
	}
	return list
}

// isOfState reports whether the name of a member is that of a state, or of the time when it began.
func isOfState(name string, words []string) (is, isTime bool) {
	for _, word := range words {
		rest, begins := strings.CutPrefix(name, word)
		if m := ofState.FindStringSubmatch(rest); begins && m != nil {
			return true, m[1] != ""
		}
	}
	return false, false
}

// statesOf returns what a member that lists its states is set to.
func statesOf(name string, part *openapi3.Schema, into, outOf []string) []State {
	begins := func(value any, words []string) bool {
		text, isText := value.(string)
		return isText && slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(plainName(text), word)
		})
	}
	if len(part.Enum) == 0 {
		return nil
	}
	for _, word := range into {
		for _, value := range part.Enum {
			if begins(value, []string{word}) {
				return []State{{Member: name, Value: value}}
			}
		}
	}
	s := State{Member: name}
	isFirst := func(value any) bool { return begins(value, []string{"activ", "running", "open"}) }
	first := slices.IndexFunc(part.Enum, isFirst)
	for _, value := range append([]any{part.Default, part.Enum[max(first, 0)]}, part.Enum...) {
		switch text, isText := value.(string); {
		case begins(value, outOf):
			s.Of = append(s.Of, text)
		case isText && s.Value == nil:
			s.Value = value
		}
	}
	if s.Of == nil || s.Value == nil {
		return nil
	}
	return []State{s}
}
