package history

import (
	"errors"
	"iter"

	"svc.example/understudy/contract/internal/facts"
)

// Shuffled brings exchanges that come in any order into that of the recording. Many of them wait on disk.
type Shuffled struct {
	store  store
	sorter entries
}

// Put takes an exchange.
func (s *Shuffled) Put(e *facts.Exchange) (err error) {
	x := entry{number: int64(e.Number)}
	if x.frame, err = s.store.put(e, nil); err != nil {
		return err
	}
	return s.sorter.put(x)
}

// InOrder yields the exchanges in the order of the recording.
func (s *Shuffled) InOrder() iter.Seq2[*facts.Exchange, error] {
	return func(yield func(*facts.Exchange, error) bool) {
		if err := s.store.flush(); err != nil {
			yield(nil, err)
			return
		}
		in := s.store.reader(nil)
		for x, err := range s.sorter.all() {
			var e *facts.Exchange
			if err == nil {
				e, err = in.get(x)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Close removes what waits on the disk.
func (s *Shuffled) Close() error { return errors.Join(s.store.close(), s.sorter.close()) }
