package plancache

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// identity identifies the code of this process: the build ID that the go command puts into a program, else the digest of the
// program. A version would be equal for two builds during development.
func identity() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("identifying this program: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("identifying this program: %w", err)
	}
	defer file.Close()
	if id := buildID(file); id != "" {
		return id, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("identifying this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// buildID returns the build ID of an ELF program; empty if it has none.
func buildID(file io.ReaderAt) string {
	program, err := elf.NewFile(file)
	if err != nil {
		return ""
	}
	section := program.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	const header = 16 // lengths, type and the name "Go"
	if err != nil || len(note) <= header+20 {
		return ""
	}
	return "build " + hex.EncodeToString(note[header:])
}
