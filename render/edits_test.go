package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBetweenWithMorePlaces(t *testing.T) {
	before, after := make([]Object, 10), make([]Object, 11)
	e := Edits{before, after, []Span{{2, 2, 2}, {5, 0, 1}, {7, 1, 1}}}
	for name, c := range map[string]struct {
		more []int
		want []Span
	}{
		"none":                    {nil, e.Spans},
		"before, between, behind": {[]int{9, 0, 6}, []Span{{0, 1, 1}, {2, 2, 2}, {5, 0, 1}, {6, 1, 1}, {7, 1, 1}, {9, 1, 1}}},
		"in a place that differs": {[]int{3, 7, 2}, e.Spans},
		"where one is inserted":   {[]int{5}, []Span{{2, 2, 2}, {5, 0, 1}, {5, 1, 1}, {7, 1, 1}}},
		"twice":                   {[]int{4, 4}, []Span{{2, 2, 2}, {4, 1, 1}, {5, 0, 1}, {7, 1, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			spans, known := e.Between(before, after, c.more...)
			require.True(t, known)
			require.Equal(t, c.want, spans)
			require.Equal(t, []Span{{2, 2, 2}, {5, 0, 1}, {7, 1, 1}}, e.Spans, "nobody changes the edits")
		})
	}
	spans, known := e.Between(after, before, 3)
	require.False(t, known)
	require.Equal(t, []Span{{0, 11, 10}}, spans)
}
