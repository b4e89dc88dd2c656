package pipeline

import (
	"context"
	"io"
)

// Cut cuts a file as workers do, and returns the lines of each piece and where each begins.
func Cut(ctx context.Context, path string, pieces int) (texts []string, starts []int64, err error) {
	list, err := (&cutFn{Pieces: pieces}).cut(ctx, File{Name: path})
	if err != nil {
		return nil, nil, err
	}
	for i, p := range list {
		p.File, p.Index = File{Name: path}, i
		lines, start, err := p.lines(ctx)
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(lines)
		if err != nil {
			return nil, nil, err
		}
		texts, starts = append(texts, string(text)), append(starts, start)
		if err := lines.Close(); err != nil {
			return nil, nil, err
		}
	}
	return texts, starts, nil
}
