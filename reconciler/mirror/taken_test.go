package mirror

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

func TestDefectF13TheSecondFederationIsNotMirrored(t *testing.T) {
	web, space := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, manifest.ID{Kind: "Namespace", Name: "shop"}
	own := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "prod"}
	s := newEntries()
	first := s.adopt("dev/shop", []Template{{ID: web}, {ID: space}})
	require.Empty(t, first.taken)
	require.Empty(t, Figures{Taken: first.taken}.problem())

	second := s.adopt("prod/shop", []Template{{ID: web}, {ID: space}, {ID: own}})
	require.Equal(t, map[manifest.ID]string{web: "dev/shop"}, second.taken)
	require.Contains(t, Figures{Taken: second.taken}.problem(),
		"1 object is not mirrored, because Federation dev/shop has the same: apps/Deployment shop/web. The status on the hub is that of the other Federation")

	s.adopt("dev/shop", nil)
	require.Empty(t, s.adopt("prod/shop", []Template{{ID: web}, {ID: own}}).taken, "the first gave it up")
}
