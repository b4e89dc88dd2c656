package main_test

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v4"
)

// object is written with its members in their order, as the tools write theirs.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalYAML implements yaml.Marshaler.
func (o object) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, m := range o {
		var name, value yaml.Node
		if err := name.Encode(m.name); err != nil {
			return nil, err
		}
		if err := value.Encode(m.value); err != nil {
			return nil, err
		}
		n.Content = append(n.Content, &name, &value)
	}
	return n, nil
}
