// Package access decides who may do what on an account: it holds users and their keys, passwords and OAuth tokens,
// policies and policy groups, and derives the rights on databases from them.
package access
