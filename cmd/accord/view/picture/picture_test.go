package picture_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

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

func at(minutes float64) time.Time {
	return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes * float64(time.Minute)))
}

// rollout has three stages in 30 minutes.
func rollout() picture.Rollout {
	return picture.Rollout{
		Title: "checkout @ 4f2c9e1, rollout standard", Verdict: "Progressing: stage 2 of 3", Begin: at(0), End: at(30),
		WaitingFor: "waits for eu-7 to become healthy: ImagePullBackOff, until 12:44:00 at most",
		Stages: []picture.Stage{
			{Name: "canary", Note: "passed 12:15:00, soaked 10m", Began: at(0), Passed: at(15), Clusters: []picture.Cluster{
				{Name: "eu-1", Bars: []picture.Bar{{picture.Changing, at(0), at(5)}, {picture.Soaking, at(5), at(15)}, {picture.Passed, at(15), at(30)}}},
			}},
			{Name: "europe", Note: "2 to go", Began: at(15), Clusters: []picture.Cluster{
				{Name: "eu-2", Bars: []picture.Bar{{picture.Waits, at(0), at(15)}, {picture.Changing, at(15), at(15)}, {picture.Passed, at(15), at(30)}}},
				{Name: "eu-7", Bars: []picture.Bar{{picture.Waits, at(0), at(15)}, {picture.Failing, at(15), at(30)}}},
				{Name: "eu-8", Bars: []picture.Bar{{picture.Waits, at(0), at(15)}, {picture.Away, at(15), at(30)}}},
			}},
			{Name: "world", Note: "waits for europe", Clusters: []picture.Cluster{{Name: "us-1", Bars: []picture.Bar{{picture.Waits, at(0), at(30)}}}}},
		},
	}
}

// hostile has long and strange names and notes, and more clusters than are drawn.
func hostile() picture.Rollout {
	r := rollout()
	long := strings.Repeat("w", 253)
	r.Title, r.Verdict, r.WaitingFor = "<script>alert(1)</script>"+long, "</svg>&\x00\u202e"+long, "\U0001F600 "+long
	r.Stages[0].Name, r.Stages[0].Note = long, strings.Repeat("no message is short ", 50)
	r.Stages[1].Clusters[1].Name = long
	for i := range 300 {
		r.Stages[2].Clusters = append(r.Stages[2].Clusters, picture.Cluster{Name: fmt.Sprintf("us-%d", i), Bars: []picture.Bar{{picture.Waits, at(0), at(30)}}})
	}
	r.Stages[2].Clusters = append(r.Stages[2].Clusters, picture.Cluster{Name: "zz-fails", Bars: []picture.Bar{{picture.Failing, at(29), at(30)}}})
	return r
}
