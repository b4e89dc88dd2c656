package report

// Sources of base addresses.
const (
	Given   = "given"   // by the user
	Guessed = "guessed" // from the recording
)
