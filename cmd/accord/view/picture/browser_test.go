//go:build browser

// The tests of this file open drawings in a real browser; make test-browser runs them.
package picture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/view/picture"
	"github.com/accord-dev/accord/internal/browser"
)

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
	dom := string(browser.Open(t, page, "--dump-dom"))
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
		back   color.RGBA
		colors map[string]color.RGBA
	}{
		{"light", color.RGBA{0xff, 0xff, 0xff, 0xff}, map[string]color.RGBA{"passed": {0x2d, 0xa4, 0x4e, 0xff}, "waits": {0xd0, 0xd7, 0xde, 0xff}}},
		{"dark", color.RGBA{0x0d, 0x11, 0x17, 0xff}, map[string]color.RGBA{"passed": {0x39, 0xd3, 0x53, 0xff}, "waits": {0x3d, 0x44, 0x4d, 0xff}}},
	} {
		t.Run(ground.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shot.png")
			browser.Open(t, page, "--screenshot="+file, fmt.Sprintf("--window-size=%.0f,%.0f", view.Right, view.Bottom), "--force-device-scale-factor=1", browser.Scheme(ground.name))
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
			if browser.Contrast(pixel(img, x, y), back) > 3 {
				return true
			}
		}
	}
	return false
}
