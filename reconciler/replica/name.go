package replica

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// Name returns chosen or, if that is empty, a unique name that is valid for an object.
func Name(chosen string) (string, error) {
	if chosen != "" {
		return chosen, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("naming this replica: %w", err)
	}
	return strings.ToLower(strings.ReplaceAll(host, "_", "-") + "-" + rand.Text()[:5]), nil
}
