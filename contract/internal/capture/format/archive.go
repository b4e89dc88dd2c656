package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
)

// jsonLists holds the places of entries in a document in JSON, such as log.entries, each with its decoder. A list that
// is not within an object has no name.
type jsonLists map[string]record.Decoder

// read walks to the lists and yields their entries one by one. It looks at the structure only, so that a document with
// invalid numbers, or with one broken entry, still gives all the others. Documents that were put one behind the other
// are all read.
func (l jsonLists) read(in *record.Input, yield func(record.Raw, error) bool) bool {
	for {
		a := &archive{Input: in, lists: l, yield: yield}
		more, err := false, a.members("")
		if err == nil && a.found {
			more, err = a.more()
		}
		switch {
		case err != nil || !a.found:
			return a.fail(err)
		case !more:
			return true
		}
	}
}

// more reports whether another archive follows.
func (a *archive) more() (bool, error) {
	switch c, err := a.PeekSpace(); {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, err
	case c != '{' && c != '[':
		return false, fmt.Errorf("unexpected %q after the archive", rune(c))
	}
	return true, nil
}

// fail yields the reason why an archive could not be read to its end. It is false when yield was.
func (a *archive) fail(err error) bool {
	switch {
	case errors.Is(err, errStop):
		return false
	case a.Err() != nil:
		return a.yield(record.Raw{}, a.Broken(a.Err()))
	case err == nil:
		return a.yield(record.Raw{}, a.Problem(record.NoRecording, record.ErrNoList))
	case !a.begun:
		return a.yield(record.Raw{}, a.Problem(record.NoRecording, fmt.Errorf("%w: %w", record.ErrNoList, err)))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return a.yield(record.Raw{},
			a.Problem(record.Truncated, fmt.Errorf("the archive is cut off here, after %d complete entries", a.number)))
	}
	return a.yield(record.Raw{}, a.Problem(record.Malformed, err))
}

var errStop = errors.New("stop")

type archive struct {
	*record.Input
	lists  jsonLists
	yield  func(record.Raw, error) bool
	number int
	begun  bool // the member that holds the list has been seen
	found  bool // so has the list
}

// members takes the value at a path, which is a list of entries or leads to one.
func (a *archive) members(path string) error {
	if decode := a.lists[path]; decode != nil {
		a.begun = true
		return a.entries(decode)
	}
	return a.object(func(key string) error {
		at := key
		if path != "" {
			at = path + "." + key
		}
		if !a.lists.lead(at) {
			return a.skip()
		}
		a.begun = true
		return a.members(at)
	})
}

// lead reports whether a path leads to a list.
func (l jsonLists) lead(path string) bool {
	for list := range l {
		if list == path || strings.HasPrefix(list, path+".") {
			return true
		}
	}
	return false
}

// object takes an object, key by key; each takes the value of its key.
func (a *archive) object(each func(key string) error) error {
	if err := a.expect('{'); err != nil {
		return err
	}
	for {
		c, err := a.PeekSpace()
		if err != nil {
			return err
		}
		switch c {
		case '}':
			_, _ = a.ReadByte()
			return nil
		case ',':
			_, _ = a.ReadByte()
			continue
		}
		key, err := a.key()
		if err != nil {
			return err
		}
		if err := a.expect(':'); err != nil {
			return err
		}
		if err := each(key); err != nil {
			return err
		}
	}
}

func (a *archive) expect(want byte) error {
	c, err := a.PeekSpace()
	if err != nil {
		return err
	}
	if c != want {
		return fmt.Errorf("want %q, found %q", want, c)
	}
	_, err = a.ReadByte()
	return err
}

func (a *archive) key() (string, error) {
	const longest = 4 << 10
	var b bytes.Buffer
	if err := a.value(&b, longest); err != nil {
		return "", err
	}
	return string(bytes.Trim(b.Bytes(), `"`)), nil
}

func (a *archive) skip() error {
	err := a.value(nil, 0)
	if errors.Is(err, record.ErrTooLarge) {
		return nil
	}
	return err
}

// entries takes the array of entries.
func (a *archive) entries(decode record.Decoder) error {
	a.found = true
	if err := a.expect('['); err != nil {
		return err
	}
	for {
		c, err := a.PeekSpace()
		if err != nil {
			return err
		}
		switch c {
		case ']':
			_, err := a.ReadByte()
			return err
		case ',':
			_, _ = a.ReadByte()
			continue
		}
		if err := a.entry(decode); err != nil {
			return err
		}
	}
}

func (a *archive) entry(decode record.Decoder) error {
	place := a.Place()
	var b bytes.Buffer
	err := a.value(&b, record.MaxEntry)
	if errors.Is(err, record.ErrTooLarge) {
		if !a.yield(record.Raw{}, &record.ReadError{Position: place, Kind: record.TooLarge, Err: err}) {
			return errStop
		}
		return nil
	}
	if err != nil {
		return err
	}
	a.number++
	record := record.Raw{Position: place, Bytes: b.Bytes(), Decoder: decode}
	record.Attached = a.Folders.Attach(record.Bytes)
	if !a.yield(record, nil) {
		return errStop
	}
	return nil
}

// value takes one value and writes it to b, if b is there. A value that is longer than limit is taken to its end, and
// errTooLarge says so. Invalid literals that tools write all the same, such as NaN, become null.
func (a *archive) value(b *bytes.Buffer, limit int) error {
	s := scanner{archive: a, out: b, limit: limit}
	if err := s.run(); err != nil {
		return err
	}
	if b != nil && s.size > limit {
		return record.ErrTooLarge
	}
	return nil
}
