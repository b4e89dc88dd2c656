package traffic

import (
	"bytes"
	"time"
)

// instance is one exchange of one life of an account, with all in which it differs from others like it.
type instance struct {
	account, life int
	born, start   time.Time // of the life, and of the exchange
	took          int       // milliseconds, of three digits
	seq           int
}

// variable appends a value of an instance to a line.
type variable func(b []byte, x *instance) []byte

// template is a line of a recording, in pieces.
type template []piece

// piece is a text that stays, and the variable behind it, nil at the end of a template.
type piece struct {
	text  []byte
	value variable
}

// append adds the line of an instance.
func (t template) append(b []byte, x *instance) []byte {
	for i := range t {
		b = append(b, t[i].text...)
		if t[i].value != nil {
			b = t[i].value(b, x)
		}
	}
	return b
}

// cut divides a line in which marks stand for variables.
func cut(line []byte, marks []mark) (t template) {
	for len(line) > 0 {
		at, found := len(line), mark{}
		for _, m := range marks {
			if i := bytes.Index(line[:min(at+len(m.text), len(line))], []byte(m.text)); i >= 0 && i < at {
				at, found = i, m
			}
		}
		t = append(t, piece{line[:at], found.value})
		line = line[at+len(found.text):]
	}
	return t
}
