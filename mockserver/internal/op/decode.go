package op

import (
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal reads JSON that a client sent. A whole number is an integer there however it is written: 4.0 and 4e0
// are what JSON Schema calls integers, and what languages send that know one kind of number.
func Unmarshal(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if misfit := (*json.SemanticError)(nil); errors.As(err, &misfit) && misfit.JSONKind == '0' {
		return json.Unmarshal(data, into, json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(whole[int]), json.UnmarshalFromFunc(whole[int64]), json.UnmarshalFromFunc(whole[uint64]))))
	}
	return err
}

func whole[N int | int64 | uint64](d *jsontext.Decoder, into *N) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // for what it is otherwise
	}
	number, err := d.ReadValue()
	if err != nil {
		return err
	}
	if json.Unmarshal(number, into) == nil {
		return nil
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if *into = N(f); err != nil || math.Abs(f) > 1<<53 || float64(*into) != f {
		return errors.New("want an integer, not " + string(number))
	}
	return nil
}
