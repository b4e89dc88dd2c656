package ingestion

// The rules that a test may switch off, to prove that the contract suite notices. Each is one guard in the code, and
// its name begins with the name of the contract's rule that must notice.
const (
	SkipSize     = "ingestion-size/refusal" // a body that is too large is accepted
	SkipNoKey    = "ingestion-auth/none"    // an event without a key is accepted
	SkipWrongKey = "ingestion-auth/wrong"   // an event with a wrong key is refused at once
)

// Skippable lists the rules that can be switched off.
func Skippable() []string { return []string{SkipSize, SkipNoKey, SkipWrongKey} }
