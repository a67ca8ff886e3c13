package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"
)

// dataVersionFile, in the data directory, has the version of the last accord that used it.
const dataVersionFile = "version"

// refuseLaterData returns an error for a data directory that a later minor release used: this version would remove the fields that it
// does not know from the objects of the hub. Builds without a release have no order and pass.
func refuseLaterData(dir, version string) error {
	text, err := os.ReadFile(filepath.Join(dir, dataVersionFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the version that used the data directory: %w", err)
	}
	if used := strings.TrimSpace(string(text)); isLaterMinor(used, version) {
		return fmt.Errorf("accord %s used %s, and this is %s, which may lose what the later version stored: run %[1]s, "+
			"or restore the copy of the directory from before the upgrade (docs/how-to/upgrade.md)", used, dir, version)
	}
	return nil
}

// recordVersion makes this version the last one that used the data directory.
func recordVersion(dir, version string) error {
	return os.WriteFile(filepath.Join(dir, dataVersionFile), []byte(version+"\n"), 0o600)
}

// isLaterMinor reports whether version a is of a later minor release than b. Patch releases of one minor release store the same.
func isLaterMinor(a, b string) bool {
	x, errX := utilversion.ParseSemantic(a)
	y, errY := utilversion.ParseSemantic(b)
	if errX != nil || errY != nil {
		return false
	}
	return x.Major() > y.Major() || x.Major() == y.Major() && x.Minor() > y.Minor()
}
