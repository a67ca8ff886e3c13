package proxy

import (
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// CheckPath returns an error for a path on a cluster that could lead somewhere else: the address of a cluster may itself have a path, of
// which a server behind it makes another cluster.
func CheckPath(u *url.URL) error {
	segments := strings.Split(u.Path, "/")
	if u.Path == "" || segments[0] != "" {
		return apierrors.NewBadRequest("the path on the cluster begins with \"/\"")
	}
	for i, segment := range segments[1:] {
		last := i == len(segments)-2
		switch {
		case segment == "." || segment == "..":
			return apierrors.NewBadRequest("the path on the cluster has no segments \".\" and \"..\": name the resource directly")
		case segment == "" && !last:
			return apierrors.NewBadRequest("the path on the cluster has no empty segments: write one \"/\"")
		case strings.ContainsAny(segment, "\\\x00"):
			return apierrors.NewBadRequest("the path on the cluster has no backslash and no NUL")
		}
	}
	return nil
}
