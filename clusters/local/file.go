package local

import (
	"errors"
	"os"
)

// writeFile writes a file for this user alone and returns when it is on disk: a file that is renamed
// into place after that is whole even if the power goes.
func writeFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
