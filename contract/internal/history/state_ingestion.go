package history

import (
	"svc.example/understudy/contract/internal/facts"
)

// ingestionState holds what is known of the event ingestion interface.
type ingestionState struct {
	KeepsKeys *facts.Exchange // an exchange that shows that the recording keeps Authorization headers
}
