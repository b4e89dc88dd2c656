package recording

import (
	"regexp"
	"strings"
)

// FaultHeader is the header by which an answer of the mock names the fault that was applied to its request.
const FaultHeader = "X-Understudy-Fault"

// Effects of a request to which a fault was applied: how often its operation took effect.
const (
	EffectNone  = "none"
	EffectOnce  = "once"
	EffectTwice = "twice"
)

// Fault describes what a mock did to a request because of a planned fault. Its text, as FaultHeader and Exchange.Fault
// have it, is a token with parameters of RFC 8941, such as
//
//	fault-1; answer=injected; effect=once
type Fault struct {
	ID       string // of the fault in the mock's plan
	Effect   string // EffectNone, EffectOnce or EffectTwice; empty if it is not known
	Injected bool   // the answer, or that there is none, was made up; otherwise it is the operation's own
}

// String returns the text that ParseFault reads.
func (f Fault) String() string {
	text := f.ID + "; answer=own"
	if f.Injected {
		text = f.ID + "; answer=injected"
	}
	if f.Effect != "" {
		text += "; effect=" + f.Effect
	}
	return text
}

// faultForm is the form of a fault's text. JSONSchema has the same.
var faultForm = regexp.MustCompile("^[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*" +
	"( *; *(answer=(injected|own)|effect=(none|once|twice)))*$")

// ParseFault reads the text of a fault, and reports whether it is one. An answer was injected if the text does not say
// whose it is.
func ParseFault(text string) (f Fault, ok bool) {
	if !faultForm.MatchString(text) {
		return Fault{}, false
	}
	id, parameters, _ := strings.Cut(text, ";")
	f = Fault{ID: strings.TrimRight(id, " "), Injected: true}
	for parameter := range strings.SplitSeq(parameters, ";") {
		switch name, value, _ := strings.Cut(strings.Trim(parameter, " "), "="); name {
		case "answer":
			f.Injected = value == "injected"
		case "effect":
			f.Effect = value
		}
	}
	return f, true
}

// InjectedFault returns the fault of an exchange whose answer, or the lack of one, was made up, and reports whether
// there is one.
func (e *Exchange) InjectedFault() (f Fault, ok bool) {
	f, ok = ParseFault(e.Fault)
	return f, ok && f.Injected
}
