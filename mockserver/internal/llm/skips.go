package llm

// The rules that a test may switch off, to prove that the contract suite notices. Each is one guard in the code, and
// its name begins with the name of the contract's rule that must notice.
const (
	SkipDeletion         = "use-after-delete/llm"         // a deletion of a resource answers 204 and does nothing
	SkipProjectTakes     = "use-after-delete/project"     // what is in a project outlives it
	SkipIntegrationTakes = "use-after-delete/integration" // the actions of an integration outlive it

	SkipLinks = "schema/links" // every page has a next one
)

// Skippable lists the rules that can be switched off.
func Skippable() []string {
	return []string{SkipDeletion, SkipProjectTakes, SkipIntegrationTakes, SkipLinks}
}
