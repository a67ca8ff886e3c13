package phrase

import (
	"strings"
	"time"
)

// Duration returns a duration without its zero units: "5m" for 5m0s, "1h30m", "5m30s", "2h".
func Duration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
