package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// createScratch makes a temporary file. Where the system lets it, the file has no name from the beginning, so that
// nothing of it stays behind whatever ends the process.
func createScratch(purpose string) (*os.File, error) {
	file, err := os.CreateTemp("", "understudy-"+purpose+"-*")
	if err != nil {
		return nil, fmt.Errorf("keep the %s of exchanges on the disk: %w", purpose, err)
	}
	_ = os.Remove(file.Name()) // on Windows, removeScratch does it
	return file, nil
}

func removeScratch(file *os.File) error {
	if file == nil {
		return nil
	}
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
