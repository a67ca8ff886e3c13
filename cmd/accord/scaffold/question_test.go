package scaffold_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/scaffold"
)

// TestQuestions: an empty answer is the default, a flag is no question, and an input that ends is no answer.
func TestQuestions(t *testing.T) {
	r := &scaffold.Repository{Name: "shop", URL: "https://git.example/shop", Image: "nginx:1", Pipeline: "github"}
	var out strings.Builder
	q := scaffold.Questions{
		In: strings.NewReader("\nhttps://git.example/other\neu-1, us-1\nnone\n"), Out: &out,
		Given: func(flag string) bool { return flag == "image" },
	}
	require.NoError(t, q.Fill(t.Context(), r))
	require.Equal(t, &scaffold.Repository{
		Name: "shop", URL: "https://git.example/other", Clusters: []string{"eu-1", "us-1"}, Image: "nginx:1", Pipeline: "none",
	}, r)
	require.Equal(t, 4, strings.Count(out.String(), ": "))
	require.Contains(t, out.String(), "Name of the Federation [shop]: ")

	q.In = strings.NewReader("shop\n")
	require.EqualError(t, q.Fill(t.Context(), r), "no answer: nothing was written")
}
