// Package browser has tests open pages in a real browser without a window.
package browser

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Open opens a page and returns the output of the browser.
func Open(t *testing.T, page string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=2000"}, args...)
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, find(t), append(args, "file://"+file)...)
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(t, c.Run(), errs.String())
	return out.Bytes()
}

// find returns the path of the browser.
func find(t *testing.T) string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Fail(t, "no browser", "this test looks at a page in a real browser: apt-get install --no-install-recommends chromium, or name one with $CHROMIUM")
	return ""
}

// Scheme returns the argument for pages with a light or a dark background.
func Scheme(name string) string {
	return "--blink-settings=preferredColorScheme=" + map[string]string{"dark": "0", "light": "1"}[name]
}

// Contrast returns the contrast of two colours as WCAG 2 computes it, from 1 to 21.
func Contrast(a, b color.RGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		if f := float64(v) / 255; f > 0.04045 {
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
