package specs

// Change describes what a request does to an object of a resource of your own.
type Change[T any] struct {
	Verb   string   // create, update, delete, or the word of an action, such as cancel
	Keys   []string // what names the object in a path, its parents first
	Before *T       // nil of a new one
	After  *T       // nil of one that is deleted
}
