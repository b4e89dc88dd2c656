package contract

import "sync"

// settledReport is the report of a growing recording as it was at some time. It is made when it is asked for.
type settledReport struct {
	checker   *Checker
	gatherer  *gatherer
	exchanges int
	err       error

	once sync.Once
	made *Report
}

// report returns a copy of the report, whose parts are shared.
func (s *settledReport) report() (*Report, error) {
	s.once.Do(func() {
		s.made = s.gatherer.conclude(s.checker.judge)
		s.gatherer = nil
	})
	r, err := *s.made, s.err
	if err == nil {
		err = nothingChecked(&r)
	}
	return &r, err
}
