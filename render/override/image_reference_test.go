package override

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEditImage has the rows of Karmada §3.3 marked VERIFIED. Where accord differs (B6) it expects an error.
func TestEditImage(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123", 16)
	other := "sha256:" + strings.Repeat("4567", 16)
	for _, c := range []struct{ name, image, component, operator, value, want, err string }{
		{"registry to an image without one", "nginx", "Registry", "replace", "r.x:1", "r.x:1/nginx", ""},
		{"registry extended", "localhost/a/b:1", "Registry", "add", ".suf", "localhost.suf/a/b:1", ""},
		{"registry removed", "reg:5000/a/b", "Registry", "remove", "", "a/b", ""},
		{"registry removed where there is none", "team/app", "Registry", "remove", "", "team/app", ""},
		{"first segment that is no registry", "team/app", "Registry", "replace", "r.x:1", "r.x:1/team/app", ""},
		{"registry replaced", "reg.io/a:t", "Registry", "replace", "r.x:1", "r.x:1/a:t", ""},
		{"registry set to nothing", "reg.io/a:t", "Registry", "replace", "", "a:t", ""},
		{"tag extended where there is none", "nginx", "Tag", "add", "-arm", "nginx", ""},
		{"tag extended", "nginx:1.2", "Tag", "add", "-arm", "nginx:1.2-arm", ""},
		{"tag replaced by digest", "nginx:1.2", "Tag", "replace", digest, "nginx@" + digest, ""},
		{"tag set where there is none", "nginx", "Tag", "replace", "v1", "nginx:v1", ""},
		{"digest replaced by a tag", "reg.io/a/b@" + digest, "Tag", "replace", "v9", "reg.io/a/b:v9", ""},
		{"digest replaced by digest", "reg.io/a/b@" + digest, "Tag", "replace", other, "reg.io/a/b@" + other, ""},
		{"digest is not extended", "reg.io/a/b@" + digest, "Tag", "add", "-x", "reg.io/a/b@" + digest, ""},
		{"tag removed", "nginx:1.2", "Tag", "remove", "", "nginx", ""},
		{"repository replaced", "nginx", "Repository", "replace", "n/r", "n/r", ""},
		{"repository extended", "r.x:1/n:2", "Repository", "add", "-arm", "r.x:1/n-arm:2", ""},

		{"B6/digest survives another registry", "reg.io/a:t@" + digest, "Registry", "replace", "r.x:1", "r.x:1/a:t@" + digest, ""},
		{"B6/digest survives another repository", "reg.io/a:t@" + digest, "Repository", "replace", "b", "reg.io/b:t@" + digest, ""},
		{"B6/tag beside a digest removed", "reg.io/a:t@" + digest, "Tag", "remove", "", "reg.io/a@" + digest, ""},
		{"B6/tag and digest replaced by digest", "reg.io/a:t@" + digest, "Tag", "replace", other, "reg.io/a@" + other, ""},
		{"B6/tag beside a digest replaced", "reg.io/a:t@" + digest, "Tag", "replace", "v9", "", "pinned by its digest"},
		{"B6/tag beside a digest extended", "reg.io/a:t@" + digest, "Tag", "add", "-x", "", "pinned by its digest"},
		{"B6/digest removed", "reg.io/a@" + digest, "Tag", "remove", "", "", "would unpin the image"},
		{"B6/tag that is none", "nginx:1.2", "Tag", "replace", "bad tag!", "", `image "nginx:1.2": replace Tag with bad tag! would make it invalid`},
		{"B6/empty tag", "nginx:1.2", "Tag", "replace", "", "", "value is empty"},
		{"B6/no repository", "nginx:1.2", "Repository", "remove", "", "", "cannot be without a repository"},
		{"B6/repository set to nothing", "nginx:1.2", "Repository", "replace", "", "", "cannot be without a repository"},
		{"B6/registry that begins with a dot", "nginx:1.2", "Registry", "add", ".suf", "", "would make it invalid"},
		{"B6/upper-case repository", "nginx", "Repository", "replace", "Nginx", "", "would make it invalid"},
		{"B6/digest smuggled in by a repository", "nginx", "Repository", "add", "@" + digest, "", "would change its"},
		{"B6/tag smuggled in by a repository", "nginx", "Repository", "add", ":1", "", "would change its"},

		{"empty image", "", "Tag", "add", "x", "", "is not valid"},
		{"upper-case image", "Nginx", "Tag", "add", "x", "", "is not valid"},
		{"unknown component", "nginx", "Name", "add", "x", "", `unknown component "Name"`},
		{"unknown operator", "nginx", "Registry", "set", "x", "", `unknown operator "set"`},
		{"unknown operator of a tag", "nginx", "Tag", "set", "x", "", `unknown operator "set"`},
	} {
		t.Run("Karmada §3.3/"+c.name, func(t *testing.T) {
			got, err := editImage(c.image, c.component, c.operator, c.value)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
