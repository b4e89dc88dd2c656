package sqlite

import "time"

// The default limits of an engine.
const (
	DefaultTimeLimit   = 5 * time.Second
	DefaultStepLimit   = 1 << 30
	DefaultRowLimit    = 1_000_000
	DefaultResultLimit = 64 << 20
	DefaultMemoryLimit = 256 << 20
)

// Option is a setting of an engine. One that is not above 0 is ignored.
type Option func(*Engine)

// WithTimeLimit bounds how long a query takes, with the tables that it needs. While it lets requests go first, its time
// stands still.
func WithTimeLimit(d time.Duration) Option { return func(e *Engine) { e.time = ifPositive(d, e.time) } }

// WithStepLimit bounds how much work a query is, on any machine: a step is an instruction of SQLite's, a byte that one
// of our own functions is given, or an instruction of a regular expression on a byte of the text.
func WithStepLimit(steps int64) Option {
	return func(e *Engine) { e.steps = ifPositive(steps, e.steps) }
}

// WithRowLimit bounds how many rows a result has.
func WithRowLimit(rows int) Option { return func(e *Engine) { e.rows = ifPositive(rows, e.rows) } }

// WithResultLimit bounds how many bytes a result has: 16 a value, and those of texts.
func WithResultLimit(bytes int64) Option {
	return func(e *Engine) { e.result = ifPositive(bytes, e.result) }
}

// WithMemoryLimit bounds how many bytes a query may take for the tables that it reads and for what it sorts, groups or
// keeps in between.
func WithMemoryLimit(bytes int64) Option {
	return func(e *Engine) { e.memory = ifPositive(bytes, e.memory) }
}

func ifPositive[N ~int | ~int64](n, fallback N) N {
	if n > 0 {
		return n
	}
	return fallback
}
