package record

import "svc.example/understudy/specs/recording"

// findFault takes the fault of an exchange from the header of its answer, if the recording has it nowhere else. What is
// not the text of a fault is ignored.
func (item *Item) findFault() {
	text := item.Fault
	if text == "" && item.Response != nil {
		text = item.Response.Headers.Value(recording.FaultHeader)
	}
	if _, ok := recording.ParseFault(text); !ok {
		text = ""
	}
	if text != item.Fault { // an exchange in memory is its owner's
		own := *item.Exchange
		own.Fault = text
		item.Exchange = &own
	}
}

// Genuine returns the item without an answer that a fault of the mock injected, and reports whether there was one. Such
// an answer shows nothing of the service.
func (item Item) Genuine() (genuine Item, isInjected bool) {
	if _, isInjected = item.InjectedFault(); !isInjected {
		return item, false
	}
	own := *item.Exchange
	own.Response = nil
	item.Exchange, item.ResponseDoubt, item.ResponseSize = &own, "", -1
	return item, true
}
