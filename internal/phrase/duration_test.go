package phrase_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/phrase"
)

func TestDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "10s": 10 * time.Second, "5m": 5 * time.Minute, "5m30s": 330 * time.Second, "1h30m": 90 * time.Minute, "2h": 2 * time.Hour, "1h0m10s": time.Hour + 10*time.Second,
	} {
		require.Equal(t, want, phrase.Duration(d))
	}
}
