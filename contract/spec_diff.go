package contract

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/specdiff"
)

// SpecDiff lists the changes from the checker's documents to those that options describe, such as WithSpec. With a
// source, it counts in which exchanges of a recording of the old documents each change shows, and
// fails with ErrNothingMatched if none belongs to an interface. It returns a report also with such an error.
func (c *Checker) SpecDiff(ctx context.Context, source Source, opts ...Option) (*specdiff.Report, error) {
	const base = "https://new.svc.example/"
	opts = append(slices.Clip(opts), WithInterfaces(c.config.set().Names()...))
	for _, d := range c.documents {
		opts = append(opts, WithBaseURL(d.Interface, base+string(d.Interface)))
	}
	changed, err := NewChecker(opts...)
	if err != nil {
		return nil, err
	}
	r := &specdiff.Report{}
	for i, old := range c.documents {
		r.Changes = append(r.Changes, specdiff.Compare(old, changed.documents[i])...)
	}
	if source == nil {
		return r, nil
	}
	counter := specdiff.NewCounter(c.documents, r)
	j := c.judge
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(decided *judge.Judge, _ []string) { j = decided })
	}
	var errs []error
	for raw, err := range source {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		item, err := decodeRecord(raw, err)
		if err != nil {
			if record.IsFatal(err) && len(errs) < maxErrors {
				errs = append(errs, err)
			}
			continue
		}
		if c.config.ignores(&item) != "" {
			continue
		}
		old, later := j.Exchange(item), (*judge.Result)(nil)
		if counter.NeedsNew(old) {
			later = changed.judge.Exchange(moved(item, base+string(old.Owner.Document.Interface)+old.Owner.Path))
		}
		counter.Take(old, later)
	}
	if r.Exchanges == 0 {
		errs = append(errs, ErrNothingMatched)
	}
	return r, errors.Join(errs...)
}

// moved returns an exchange at another address.
func moved(item record.Item, address string) record.Item {
	e := *item.Exchange
	if u, err := url.Parse(e.Request.URL); err == nil && u.RawQuery != "" {
		address += "?" + u.RawQuery
	}
	e.Request.URL = address
	item.Exchange = &e
	return item
}
