//go:build browser

// The tests of this file open drawings in a real browser; make test-browser runs them.
package picture_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

// browser returns the path of the browser.
func browser(t *testing.T) string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Fail(t, "no browser", "this test looks at the picture in a real browser: apt-get install --no-install-recommends chromium, or name one with $CHROMIUM")
	return ""
}

// look opens a page and returns the output of the browser.
func look(t *testing.T, page string, args ...string) []byte {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=2000"}, args...)
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, browser(t), append(args, "file://"+file)...)
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(t, c.Run(), errs.String())
	return out.Bytes()
}

// box is the position of an element.
type box struct {
	Tag, Class, Text, Cluster string
	Left, Top, Right, Bottom  float64
}

// measured returns the boxes of all texts and rectangles of a drawing.
func measured(t *testing.T, svg []byte) (boxes []box, view box) {
	const script = `
const all = [...document.querySelectorAll('svg text, svg rect')].filter(e => !e.closest('pattern')).map(e => {
  const b = e.getBoundingClientRect();
  return {Tag: e.tagName, Class: e.getAttribute('class') || '', Text: e.lastChild && e.tagName == 'text' ? e.lastChild.textContent : '', Cluster: e.dataset.cluster || '',
    Left: b.left, Top: b.top, Right: b.right, Bottom: b.bottom};
});
const pre = document.createElement('pre'); pre.id = 'boxes'; pre.textContent = JSON.stringify(all); document.body.append(pre);`
	page := "<!doctype html><meta charset=utf-8><style>body{margin:0}svg{display:block}</style>" + string(svg) + "<script>" + script + "</script>"
	dom := string(look(t, page, "--dump-dom"))
	found := regexp.MustCompile(`(?s)<pre id="boxes">(.*?)</pre>`).FindStringSubmatch(dom)
	require.NotNil(t, found, dom)
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[1])), &boxes))
	for _, b := range boxes {
		if b.Class == "ground" {
			return boxes, b
		}
	}
	require.Fail(t, "no ground")
	return nil, box{}
}

func TestBarsAreWhereTheirTimesAre(t *testing.T) {
	boxes, view := measured(t, picture.SVG(rollout()))
	bars := map[string][]box{}
	for _, b := range boxes {
		if b.Cluster != "" {
			bars[b.Cluster] = append(bars[b.Cluster], b)
		}
	}
	require.Len(t, bars, 5)
	left, right := bars["us-1"][0].Left, bars["us-1"][0].Right
	require.Equal(t, 16.0, view.Right-right, "half an hour ends at the margin")
	minute := (right - left) / 30
	for cluster, want := range map[string][][3]any{
		"eu-1": {{"changing", 0.0, 5.0}, {"soaking", 5.0, 15.0}, {"passed", 15.0, 30.0}},
		"eu-7": {{"waits", 0.0, 15.0}, {"failing", 15.0, 30.0}},
		"eu-8": {{"waits", 0.0, 15.0}, {"away", 15.0, 30.0}},
	} {
		require.Len(t, bars[cluster], len(want), cluster)
		for i, w := range want {
			b := bars[cluster][i]
			require.Equal(t, w[0], b.Class, cluster)
			require.InDelta(t, left+w[1].(float64)*minute, b.Left, 0.2, cluster)
			require.InDelta(t, left+w[2].(float64)*minute, b.Right, 0.2, cluster)
		}
	}
	require.InDelta(t, 2, bars["eu-2"][1].Right-bars["eu-2"][1].Left, 0.2, "what took no time can be seen")
}

func TestNoTextIsOutsideOrUnderAnother(t *testing.T) {
	for name, r := range map[string]picture.Rollout{"three stages": rollout(), "names as long as they can be": hostile()} {
		t.Run(name, func(t *testing.T) {
			boxes, view := measured(t, picture.SVG(r))
			var texts []box
			for _, b := range boxes {
				require.True(t, b.Left >= view.Left && b.Right <= view.Right+0.1 && b.Top >= view.Top && b.Bottom <= view.Bottom, "%+v is outside of %+v", b, view)
				if b.Tag == "text" {
					texts = append(texts, b)
				}
			}
			require.Greater(t, len(texts), 15)
			for i, a := range texts {
				for _, b := range texts[i+1:] {
					require.False(t, a.overlaps(b), "%+v is over %+v", a, b)
				}
				for _, b := range boxes {
					if b.Cluster != "" {
						require.False(t, a.overlaps(b), "%+v is over %+v", a, b)
					}
				}
			}
		})
	}
}

// overlaps reports whether boxes overlap by more than the space above and below letters.
func (b box) overlaps(c box) bool {
	const slack = 2
	return b.Left < c.Right-slack && c.Left < b.Right-slack && b.Top < c.Bottom-slack && c.Top < b.Bottom-slack
}

func TestBothGrounds(t *testing.T) {
	svg := picture.SVG(rollout())
	boxes, view := measured(t, svg)
	page := "<!doctype html><style>body{margin:0}svg{display:block}</style>" + string(svg)
	for _, ground := range []struct {
		name   string
		scheme string
		back   color.RGBA
		colors map[string]color.RGBA
	}{
		{"light", "1", color.RGBA{0xff, 0xff, 0xff, 0xff}, map[string]color.RGBA{"passed": {0x2d, 0xa4, 0x4e, 0xff}, "waits": {0xd0, 0xd7, 0xde, 0xff}}},
		{"dark", "0", color.RGBA{0x0d, 0x11, 0x17, 0xff}, map[string]color.RGBA{"passed": {0x39, 0xd3, 0x53, 0xff}, "waits": {0x3d, 0x44, 0x4d, 0xff}}},
	} {
		t.Run(ground.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shot.png")
			look(t, page, "--screenshot="+file, fmt.Sprintf("--window-size=%.0f,%.0f", view.Right, view.Bottom), "--force-device-scale-factor=1", "--blink-settings=preferredColorScheme="+ground.scheme)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			shot, err := png.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			require.Equal(t, ground.back, pixel(shot, 3, 3))
			seen := 0
			for _, b := range boxes {
				if want, known := ground.colors[b.Class]; known && b.Cluster != "" {
					require.Equal(t, want, pixel(shot, (b.Left+b.Right)/2, (b.Top+b.Bottom)/2), "%+v", b)
					seen++
				}
				if b.Class == "failing" && b.Cluster != "" {
					require.NotEqual(t, ground.back, pixel(shot, (b.Left+b.Right)/2, (b.Top+b.Bottom)/2))
				}
				if b.Tag == "text" {
					require.True(t, drawn(shot, b, ground.back), "%+v cannot be read", b)
				}
			}
			require.Greater(t, seen, 5)
		})
	}
}

func pixel(img image.Image, x, y float64) color.RGBA {
	r, g, b, a := img.At(int(x), int(y)).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
}

// drawn reports whether something in the box differs from the background.
func drawn(img image.Image, b box, back color.RGBA) bool {
	for x := b.Left; x < b.Right; x++ {
		for y := b.Top; y < b.Bottom; y++ {
			if contrast(pixel(img, x, y), back) > 3 {
				return true
			}
		}
	}
	return false
}

// contrast returns the contrast of two colours, roughly as WCAG computes it.
func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		share := func(v uint8) float64 { f := float64(v) / 255; return f * f }
		return 0.2126*share(c.R) + 0.7152*share(c.G) + 0.0722*share(c.B) + 0.05
	}
	x, y := light(a), light(b)
	return max(x, y) / min(x, y)
}

func TestPageIsOneFileAndCanBeHeard(t *testing.T) {
	page := string(picture.HTML(hostile()))
	require.NotContains(t, page, "<script")
	require.NotRegexp(t, `(?i)(src|href)=|url\((?:"|')?http|@import|javascript:`, page)
	dom := string(look(t, string(picture.HTML(rollout())), "--dump-dom"))
	require.Contains(t, dom, `<title>checkout @ 4f2c9e1, rollout standard</title>`)
	require.Contains(t, dom, `aria-labelledby="accord-title accord-desc"`)
	require.Contains(t, dom, "Stage europe, 3 clusters: 1 passed, 1 failing, 1 away.")
	require.Contains(t, dom, "eu-1: soaking for 10m, 12:05:00 to 12:15:00 UTC")
	require.Contains(t, dom, `<th scope="row">europe</th>`)
}
