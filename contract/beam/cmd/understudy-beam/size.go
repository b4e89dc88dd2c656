package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"svc.example/understudy/contract/beam/pipeline"
)

// size is the value of a flag that takes a number of bytes.
type size int64

func (s *size) String() string {
	return fmt.Sprintf("%dMiB", cmp.Or(int64(*s), pipeline.DefaultPieceSize)>>20)
}

func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "BKMGib")
	n, err := strconv.ParseInt(number, 10, 32)
	shift, known := map[string]int{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[text[len(number):]]
	if err != nil || !known || n <= 0 {
		return fmt.Errorf("want a number of bytes above 0, such as 512KiB, 64MiB or 1GiB")
	}
	*s = size(n << shift)
	return nil
}
