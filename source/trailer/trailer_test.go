package trailer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/trailer"
)

func TestValues(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		want    []string
	}{
		"the last paragraph":                {"subject\n\nbody\n\nAccord-Prune: allow\n", []string{"allow"}},
		"Windows' ends of lines":            {"subject\r\n\r\nAccord-Prune: allow\r\n\r\n", []string{"allow"}},
		"no space, and another case":        {"subject\n\naccord-prune:allow", []string{"allow"}},
		"beside other trailers":             {"subject\n\nReviewed-by: B <b@x>\nAccord-Prune: allow\nAccord-Prune: deny", []string{"allow", "deny"}},
		"a continued value":                 {"subject\n\nAccord-Prune: al\n low", []string{"al low"}},
		"git's own line beside prose":       {"subject\n\nprose\nAccord-Prune: allow\nSigned-off-by: B <b@x>", []string{"allow"}},
		"comments are no lines":             {"subject\n\nAccord-Prune: allow\n# prose\n", []string{"allow"}},
		"HostileInTheMiddle":                {"subject\n\nAccord-Prune: allow\n\nthe end", nil},
		"HostileInTheSubject":               {"Accord-Prune: allow", nil},
		"HostileInTheParagraphOfTheSubject": {"subject\nAccord-Prune: allow", nil},
		"HostileBesideProse":                {"subject\n\nsome prose\nAccord-Prune: allow", nil},
		"HostileQuoted":                     {"subject\n\n> Accord-Prune: allow", nil},
		"HostileIndented":                   {"subject\n\n Accord-Prune: allow", nil},
		"none":                              {"", nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, trailer.Values(c.message, "Accord-Prune")) })
	}
}
