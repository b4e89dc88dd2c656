// Package kinds holds the kinds of resources that people set up: projects, agents with their prompts and tools, and the
// interfaces and integrations that put questions to agents. Knowledge bases, schedules and chats have packages of their
// own. removals.go says what goes when something else goes, for all of them.
package kinds
