// Package access says who may do what on an account: users and their keys, passwords and OAuth tokens, policies and
// policy groups, and the rights on databases that follow from them.
package access
