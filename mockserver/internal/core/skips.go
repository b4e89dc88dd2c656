package core

// The rules that a test may switch off, to prove that the contract suite notices. Each is one guard in the code, and
// its name begins with the name of the contract's rule that must notice.
const (
	SkipTokenItself   = "token-revocation/token"    // a removed token stays in the list
	SkipTokenSiblings = "token-revocation/siblings" // only the token that was named is revoked

	SkipSubUserKeys   = "sub-user-removal/keys"   // the keys of a removed sub user go on working
	SkipSubUserList   = "sub-user-removal/list"   // a removed sub user stays in the list
	SkipSubUserTokens = "sub-user-removal/tokens" // the tokens of a removed sub user stay live

	SkipDeletedList    = "table-recovery/deleted" // a deleted table is not among the deleted ones
	SkipRecoveryParent = "table-recovery/parent"  // recovering a table does not recover its deleted database
	SkipRecovery       = "table-recovery/table"   // recovering a table answers 200 and does nothing

	SkipExportRole  = "role/policy-export"   // anyone may export policies
	SkipOptionsRole = "role/profile-options" // anyone may set and delete profile options
	SkipSubUserRole = "role/sub-users"       // sub users may list sub users

	SkipDatabaseDeletion   = "use-after-delete/database"   // a deletion of a database answers 200 and does nothing
	SkipTableDeletion      = "use-after-delete/table"      // likewise
	SkipConnectionDeletion = "use-after-delete/connection" // likewise
	SkipPolicyDeletion     = "use-after-delete/policy"     // likewise
	SkipDomainKey          = "use-after-delete/domain-key" // a domain key may be taken twice
	SkipKeyRemoval         = "use-after-delete/api-key"    // a removed API key goes on working
)

// Skippable lists the rules that can be switched off.
func Skippable() []string {
	return []string{
		SkipTokenItself, SkipTokenSiblings, SkipSubUserKeys, SkipSubUserList, SkipSubUserTokens,
		SkipDeletedList, SkipRecoveryParent, SkipRecovery, SkipExportRole, SkipOptionsRole, SkipSubUserRole,
		SkipDatabaseDeletion, SkipTableDeletion, SkipConnectionDeletion, SkipPolicyDeletion, SkipDomainKey,
		SkipKeyRemoval,
	}
}
