package statefile

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrEmpty is the error of a file that has no content yet.
var ErrEmpty = errors.New("the file is empty")

// Read reads a file, and calls state with each dump in it, in the order of their indexes. What it is given is valid
// only until it returns. A file that does not exist is an error of fs.ErrNotExist.
func Read(path string, state func(dump []byte) error) (Content, error) {
	c, _, err := readFile(path, state)
	return c, err
}

func readFile(path string, state func([]byte) error) (c Content, states []stored, err error) {
	if info, err := os.Stat(path); err != nil {
		return c, nil, err
	} else if !info.Mode().IsRegular() {
		return c, nil, fmt.Errorf("%s is not a regular file: want the path of a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return c, nil, err
	}
	defer file.Close()
	if err = check(file); err == nil {
		c, states, err = decode(jsontext.NewDecoder(file), state)
	}
	if err != nil {
		return Content{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, states, nil
}

// check checks the beginning and the end of a file, and leaves it to be read from its beginning.
func check(file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() == 0:
		return ErrEmpty
	}
	if err := checkVersion(jsontext.NewDecoder(file)); err != nil {
		return err
	}
	if err := checkDigest(file, info.Size()); err != nil {
		return err
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// checkVersion reads the beginning of a file.
func checkVersion(d *jsontext.Decoder) error {
	other := errors.New("it is not a file in which understudy serve --state keeps worlds")
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return other
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != '"' || token.String() != versionName {
		return other
	}
	var version int
	if err := jsonv2.UnmarshalDecode(d, &version); err != nil {
		return other
	}
	switch {
	case version > Version:
		return fmt.Errorf("a newer Understudy has written it, in version %d of its form: this one reads version %d; "+
			"update it, or choose another file", version, Version)
	case version < Version:
		return fmt.Errorf("it has version %d of its form, but this Understudy reads version %d: choose another file",
			version, Version)
	}
	return nil
}

// checkDigest holds the digest at the end of a file against what is before it.
func checkDigest(file *os.File, size int64) error {
	sum := sha256.New()
	length := int64(len(tail(sum)))
	end := make([]byte, length)
	if size > length {
		if _, err := io.Copy(sum, io.NewSectionReader(file, 0, size-length)); err != nil {
			return err
		}
		if _, err := file.ReadAt(end, size-length); err != nil {
			return err
		}
	}
	if string(end) != tail(sum) {
		return errors.New("it is damaged: the digest at its end does not match what is before, so it was cut or edited; " +
			"restore it from a copy, or choose another file")
	}
	return nil
}

func decode(d *jsontext.Decoder, state func([]byte) error) (c Content, states []stored, err error) {
	members := map[string]json.RawMessage{}
	_, err = d.ReadToken()
	for err == nil && d.PeekKind() != jsontext.KindEndObject {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		if member := name.String(); member != "states" {
			var value jsontext.Value
			value, err = d.ReadValue()
			members[member] = json.RawMessage(value.Clone())
			continue
		}
		states, err = decodeStates(d, state)
	}
	if err != nil {
		return c, nil, err
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil {
		err = c.check(len(states))
	}
	return c, states, err
}

func decodeStates(d *jsontext.Decoder, state func([]byte) error) (states []stored, err error) {
	if _, err = d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() == jsontext.KindBeginObject {
		dump, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		length := int64(len(dump))
		states = append(states, stored{d.InputOffset() - length, length, sha256.Sum256(dump)})
		if err := state(dump); err != nil {
			return nil, fmt.Errorf("state %d: %w", len(states)-1, err)
		}
	}
	_, err = d.ReadToken()
	return states, err
}

// check refuses what anybody can write who can make a digest.
func (c *Content) check(states int) error {
	for i := range c.Worlds {
		for _, m := range c.Worlds[i].moments() {
			if m == nil || m.State < 0 || m.State >= states {
				return fmt.Errorf("world %s refers to a state that the file does not have", c.Worlds[i].ID)
			}
		}
	}
	return nil
}
