package world

import (
	"bytes"

	"github.com/go-json-experiment/json"
)

// Forge gives a dump that was edited a digest that fits.
func Forge(dump []byte) ([]byte, error) {
	var w State
	s := dumpedWorld{form: w.form()}
	if err := json.Unmarshal(dump, &s, options); err != nil {
		return nil, err
	}
	var err error
	if s.Digest, _, err = s.form.digest(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.MarshalWrite(&b, s, options)
	return b.Bytes(), err
}
