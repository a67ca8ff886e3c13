package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

func TestSVGIsXML(t *testing.T) {
	for name, r := range map[string]picture.Rollout{"three stages": rollout(), "hostile": hostile(), "nothing": {}} {
		t.Run(name, func(t *testing.T) {
			decoder := xml.NewDecoder(strings.NewReader(string(picture.SVG(r))))
			for {
				_, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					return
				}
				require.NoError(t, err)
			}
		})
	}
}

func TestManyClustersLeaveTheOnesThatMatter(t *testing.T) {
	s := hostile().Stages[2].Shorten()
	require.Len(t, s.Clusters, picture.MaxRows)
	require.Equal(t, "zz-fails", s.Clusters[0].Name)
	require.Equal(t, 302-picture.MaxRows, s.Omitted)
	require.Equal(t, "us-1", hostile().Stages[2].Clusters[0].Name, "the stage itself is as it was")
}

func FuzzSVG(f *testing.F) {
	f.Add("eu-1", "note", int64(5), int64(3))
	f.Fuzz(func(t *testing.T, name, note string, from, long int64) {
		r := rollout()
		r.Stages[0].Note = note
		r.Stages[0].Clusters[0].Name = name
		r.Stages[0].Clusters[0].Bars[0].From = at(float64(from % 1e6))
		r.End = at(float64(long % 1e6))
		decoder := xml.NewDecoder(strings.NewReader(string(picture.SVG(r))))
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			require.NoError(t, err)
		}
	})
}
