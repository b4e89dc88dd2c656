package learn

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/recording"
)

// redactor returns what takes secrets out of exchanges, since not every tool that records does so. Where no salt is
// given, it comes from the keys of the recording: one recording makes one scenario, and without the keys it cannot be
// tried out what was redacted.
func (l *learner) redactor(list []*judge.Result) *recording.Redactor {
	if l.Salt != nil {
		return &recording.Redactor{Brand: l.Brand, Salt: l.Salt, Decode: decode}
	}
	salt := sha256.New()
	for _, r := range list {
		if r.Operation() != nil {
			_, _ = io.WriteString(salt, r.Credential().Identity)
		}
	}
	return &recording.Redactor{Brand: l.Brand, Salt: salt.Sum(nil), Decode: decode}
}

// decode undoes a content coding.
func decode(coding string, r io.Reader) (io.Reader, error) {
	coded, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	plain, reason := body.Uncode(coding, coded)
	if reason != "" {
		return nil, errors.New(reason)
	}
	return bytes.NewReader(plain), nil
}
