package table

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxID is the largest id that a table is read with: every reader of JSON holds it exactly.
const MaxID = 1 << 53

// Form returns the options with which JSON holds tables and indexes.
func Form() json.Options {
	type rows interface{ Rows() Rows }
	return json.JoinOptions(
		json.WithMarshalers(json.JoinMarshalers(
			json.MarshalToFunc(func(e *jsontext.Encoder, t rows) error { return t.Rows().write(e) }),
			json.MarshalToFunc(writePairs),
		)),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(func(d *jsontext.Decoder, t rows) error { return t.Rows().read(d) }),
			json.UnmarshalFromFunc(readPairs),
		)),
	)
}

// write writes the rows as an object, by their ids, in order.
func (r Rows) write(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginObject)
	for id, row := range r.All() {
		if err == nil {
			err = e.WriteToken(jsontext.String(strconv.FormatInt(id, 10)))
		}
		if err == nil {
			err = json.MarshalEncode(e, row)
		}
	}
	return errors.Join(err, e.WriteToken(jsontext.EndObject))
}

func (r Rows) read(d *jsontext.Decoder) error {
	*r.tree = tree{}
	if err := expectToken(d, jsontext.KindBeginObject); err != nil {
		return err
	}
	for last := int64(-1); d.PeekKind() == jsontext.KindString; {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		id, err := strconv.ParseInt(name.String(), 10, 64)
		if err != nil || id <= last || id > MaxID {
			return fmt.Errorf("the id of a row is %q: want integers from 0 to %d, in ascending order", name.String(), MaxID)
		}
		row := r.New()
		if err := json.UnmarshalDecode(d, row); err != nil {
			return err
		}
		r.tree.put(id, row)
		last = id
	}
	return expectToken(d, jsontext.KindEndObject)
}

func expectToken(d *jsontext.Decoder, kind jsontext.Kind) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("want %v, not %v", kind, token.Kind())
	}
	return err
}

// pairs is an index without the types of its keys and values.
type pairs interface {
	Pairs() Pairs
	fill(bucket any) error
}

// fill replaces the pairs by those of a bucket, whatever their hashes.
func (x *Index[K, V]) fill(bucket any) error {
	list := *bucket.(*[]pair[K, V])
	*x = Index[K, V]{}
	for _, p := range list {
		if _, taken := x.Get(p.Key); taken {
			return errTwice
		}
		x.Put(p.Key, p.Value)
	}
	return nil
}

var errTwice = errors.New("two entries have the same key")

// writePairs writes the entries as a list, sorted by what is written of them.
func writePairs(e *jsontext.Encoder, x pairs) error {
	texts := []jsontext.Value{}
	for p := range x.Pairs().All() {
		text, err := json.Marshal(p, e.Options())
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
	return json.MarshalEncode(e, texts)
}

func readPairs(d *jsontext.Decoder, x pairs) error {
	bucket := reflect.New(elemType(x.Pairs().bucket)).Interface()
	if err := json.UnmarshalDecode(d, bucket); err != nil {
		return err
	}
	return x.fill(bucket)
}
