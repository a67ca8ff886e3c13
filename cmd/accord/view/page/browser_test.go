//go:build browser

// The tests of this file open pages in a real browser; make test-browser runs them.
package page_test

import (
	"encoding/json"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/view/page"
	"github.com/accord-dev/accord/internal/browser"
)

// seen is a page as the browser shows it.
type seen struct {
	Width, Scroll float64
	// Texts are the elements with text of their own, without those that are folded or meant for screen readers.
	Texts []struct {
		Text, Class, Font       string
		Code                    bool
		Left, Right, Top, Below float64
		Color, Back             [3]uint8
	}
	// Bars are the states of clusters over time.
	Bars []struct {
		Class                   string
		Left, Right, Top, Below float64
		Fill, Stroke, Back      [3]uint8
		Stroked                 bool
	}
}

const look = `
const rgb = c => (c.match(/[\d.]+/g) || [0,0,0]).slice(0,3).map(Number);
const clear = c => c == 'transparent' || /, 0\)$/.test(c);
const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!clear(c)) return rgb(c); } return [255,255,255]; };
const box = r => ({Left: r.left, Right: r.right, Top: r.top, Below: r.bottom});
const texts = [...document.querySelectorAll('body *')].filter(e => !e.closest('.head') && e.checkVisibility() && e.tagName != 'title' && e.tagName != 'SCRIPT' &&
  [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()));
const result = {Width: innerWidth, Scroll: document.documentElement.scrollWidth,
  Texts: texts.map(e => { const s = getComputedStyle(e); return {Text: e.textContent.trim().slice(0, 60), Class: e.getAttribute('class') || '', Font: s.fontFamily, Code: !!e.closest('code'),
    Color: rgb(e.tagName == 'text' ? s.fill : s.color), Back: back(e), ...box(e.getBoundingClientRect())}; }),
  Bars: [...document.querySelectorAll('.track rect[class]')].map(e => { const s = getComputedStyle(e);
    return {Class: e.getAttribute('class'), Fill: rgb(s.fill), Stroke: rgb(s.stroke), Stroked: s.stroke != 'none', Back: back(document.body), ...box(e.getBoundingClientRect())}; })};
const pre = parent.document.createElement('pre'); pre.id = 'seen'; pre.textContent = JSON.stringify(result); parent.document.body.append(pre);`

// open returns what a screen of that width shows. The page is in a frame, because a window cannot be narrow.
func open(t *testing.T, p page.Page, width int, scheme string) seen {
	frame := fmt.Sprintf(`<!doctype html><meta name="color-scheme" content="light dark"><iframe width="%d" height="800" frameborder="0" srcdoc="%s"></iframe>`,
		width, html.EscapeString(written(t, p)+"<script>"+look+"</script>"))
	dom := string(browser.Open(t, frame, "--dump-dom", "--window-size=1400,900", browser.Scheme(scheme)))
	found := regexp.MustCompile(`(?s)<pre id="seen">(.*?)</pre>`).FindStringSubmatch(dom)
	require.NotNil(t, found, dom)
	var s seen
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[1])), &s))
	require.Equal(t, float64(width), s.Width)
	require.Greater(t, len(s.Texts), 30)
	return s
}

var pages = map[string]page.Page{"halted": one(halted()), "rolled back": one(rolledBack()), "hostile": one(hostile()), "overview": overview()}

func TestNothingIsOutsideOfTheScreen(t *testing.T) {
	for name, p := range pages {
		for _, width := range []int{360, 768, 1280} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				s := open(t, p, width, "light")
				require.LessOrEqual(t, s.Scroll, s.Width, "the page scrolls sideways")
				for _, e := range s.Texts {
					require.True(t, e.Left >= 0 && e.Right <= s.Width+0.5 && e.Right > e.Left && e.Below > e.Top, "%+v", e)
				}
				for _, b := range s.Bars {
					require.True(t, b.Left >= -0.5 && b.Right <= s.Width+0.5 && b.Right-b.Left >= 1 && b.Below-b.Top >= 10, "%+v", b)
				}
			})
		}
	}
}

// TestStateAndHealthAreSeenFirst: on a narrow screen, too, the state and the health of a row are beside its name or just below.
func TestStateAndHealthAreSeenFirst(t *testing.T) {
	for name, p := range map[string]page.Page{"halted": one(halted()), "overview": overview()} {
		for _, width := range []int{360, 1280} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				s := open(t, p, width, "dark")
				var states, healths, notes []float64
				for _, e := range s.Texts {
					switch {
					case slices.Contains([]string{"state bad", "badge bad"}, e.Class):
						states = append(states, e.Top)
					case e.Class == "healthy":
						healths = append(healths, e.Top)
					case e.Class == "note":
						notes = append(notes, e.Top)
					}
				}
				require.NotEmpty(t, states)
				require.NotEmpty(t, healths)
				require.NotEmpty(t, notes)
				require.GreaterOrEqual(t, notes[0], healths[0], "the note is behind the figures")
			})
		}
	}
}

// TestTextsAndBarsCanBeRead holds the contrast that WCAG 2.1 AA asks for: 4.5 for text, 3 for shapes.
func TestTextsAndBarsCanBeRead(t *testing.T) {
	rgb := func(c [3]uint8) color.RGBA { return color.RGBA{c[0], c[1], c[2], 255} }
	grounds := map[[3]uint8]bool{}
	for _, scheme := range []string{"light", "dark"} {
		for name, p := range pages {
			t.Run(name+", "+scheme, func(t *testing.T) {
				s := open(t, p, 1280, scheme)
				for _, e := range s.Texts {
					require.GreaterOrEqual(t, browser.Contrast(rgb(e.Color), rgb(e.Back)), 4.5, "%+v", e)
				}
				for _, b := range s.Bars {
					contrast := browser.Contrast(rgb(b.Fill), rgb(b.Back))
					if b.Stroked {
						contrast = max(contrast, browser.Contrast(rgb(b.Stroke), rgb(b.Back)))
					}
					require.GreaterOrEqual(t, contrast, 3.0, "%+v", b)
					grounds[b.Back] = true
				}
			})
		}
	}
	require.Len(t, grounds, 2, "a light and a dark background")
}

// TestOneFont: everything is in one font, and what a reader copies is in another.
func TestOneFont(t *testing.T) {
	fonts := map[bool]map[string]bool{false: {}, true: {}}
	for _, e := range open(t, overview(), 1280, "light").Texts {
		fonts[e.Code][e.Font] = true
	}
	require.Len(t, fonts[false], 1)
	require.Len(t, fonts[true], 1)
}
