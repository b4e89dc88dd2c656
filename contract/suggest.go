package contract

import (
	"context"
	"errors"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/suggest"
)

// Suggest returns patches with what a recording shows and the documents lack. It returns patches also with an error:
// then they cover what could be read.
func (c *Checker) Suggest(ctx context.Context, source Source) ([]*suggest.Patch, error) {
	j := c.judge
	if c.config.guess {
		source = c.withGuessedBases(ctx, source, func(decided *judge.Judge, _ []string) { j = decided })
	}
	collector := suggest.NewCollector(c.documents, c.redactor)
	var errs []error
	for raw, err := range source {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		item, err := decodeRecord(raw, err)
		switch {
		case err == nil:
			collector.Take(j.Exchange(item))
		case record.IsFatal(err) && len(errs) < maxErrors:
			errs = append(errs, err)
		}
	}
	patches, err := collector.Patches()
	return patches, errors.Join(append(errs, err)...)
}

func decodeRecord(raw Record, err error) (record.Item, error) {
	if err != nil {
		return record.Item{}, err
	}
	return raw.Decode()
}
