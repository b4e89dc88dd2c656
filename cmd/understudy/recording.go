package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"svc.example/understudy/specs/recording"
)

// openRecording opens a recording to append to: a new file, an empty one, or a recording that is there already. It
// refuses to touch anything else. Half a line, left by a process that was killed while it wrote, is cut off.
func openRecording(path string, log *slog.Logger) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	if err := prepareRecording(file, log); err != nil {
		return nil, errors.Join(fmt.Errorf("recording %s: %w", path, err), file.Close())
	}
	return file, nil
}

func prepareRecording(file *os.File, log *slog.Logger) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return err
	}
	line, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !isExchange(line) && (err == nil || !bytes.HasPrefix(line, []byte(`{"seq":`))) {
		return errors.New("the file is there and holds something else than a recording; choose another one")
	}
	end, err := lastLine(file, info.Size())
	if err != nil || end == info.Size() {
		return err
	}
	log.Warn("cut off the last line of the recording, which is not complete", "file", file.Name(),
		"bytes", info.Size()-end)
	return file.Truncate(end)
}

func isExchange(line []byte) bool {
	var e recording.Exchange
	return json.Unmarshal(line, &e) == nil && e.Request.Method != ""
}

// lastLine is where the last complete line of a file ends.
func lastLine(file io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := size; end > 0; {
		start := max(0, end-int64(len(block)))
		part := block[:end-start]
		if _, err := file.ReadAt(part, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}
