package mirror

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/mirrored"
)

// A thousand clusters with the same object take the memory of one text.
func TestSharesOfOneObjectHaveOneText(t *testing.T) {
	text := func(image string) string {
		return `{"kind":"Deployment","spec":{"image":"` + strings.Repeat(image, 40) + `"}}`
	}
	var kept compact.Texts
	web, other := &propagate.Rendered{Body: kept.Keep("Deployment", []byte(text("web")))}, &propagate.Rendered{Body: kept.Keep("Deployment", []byte(text("api")))}
	all := shares([]mirrored.Share{{Cluster: "eu", Rendered: web}, {Cluster: "us", Rendered: web}, {Cluster: "asia", Rendered: other}, {Cluster: "none"}})
	require.Len(t, all, 4)
	require.Equal(t, text("web"), string(all[0].Rendered))
	require.Same(t, &all[0].Rendered[0], &all[1].Rendered[0])
	require.Equal(t, text("api"), string(all[2].Rendered))
	require.Nil(t, all[3].Rendered)
}
