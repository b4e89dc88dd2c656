// Package kinds holds the kinds of resources that people set up: projects, agents with their prompts and tools, and the
// interfaces and integrations that send questions to agents. Knowledge bases, schedules and chats have packages of
// their own. dependents.go deletes the dependents of deleted resources, for all of them.
package kinds
