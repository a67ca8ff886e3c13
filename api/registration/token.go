// Package registration has the bootstrap tokens with which clusters in pull mode register, as their Secrets hold them, and the names that
// the registering cluster and the hub share.
package registration

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	api "k8s.io/cluster-bootstrap/token/api"
)

const (
	// BootstrapGroup has the holders of the bootstrap tokens of accord, and of no other ones.
	BootstrapGroup = api.BootstrapDefaultGroup + ":accord:clusters"
	// ManagedByLabel and ManagedBy mark the objects that accord creates on the hub.
	ManagedByLabel, ManagedBy = "app.kubernetes.io/managed-by", "accord"

	// ClustersAnnotation has the name or the pattern of the clusters that a token may register.
	ClustersAnnotation = "accord.dev/clusters"
	// UsesAnnotation has the number of clusters that a token may register.
	UsesAnnotation = "accord.dev/uses"
	// UsedByAnnotation has the UIDs of the requests that used the token, separated by commas.
	UsedByAnnotation = "accord.dev/used-by"
)

// AfterLastUse is the time for which a token can still read its certificate after its last use. It registers nothing any more.
const AfterLastUse = 2 * time.Minute

// Token is a bootstrap token. An administrator creates it; the hub counts its uses.
type Token struct {
	// ID is public; Secret authenticates.
	ID, Secret string
	// Clusters is the name or the pattern ("edge-*") of the clusters that the token may register.
	Clusters string
	// Uses is the number of clusters that the token may register; UsedBy has the requests that did.
	Uses   int
	UsedBy []types.UID
	// Expires is the end of the token. The zero time is no valid end.
	Expires     time.Time
	Description string
}

var tokenForm = regexp.MustCompile(api.BootstrapTokenPattern)

// SplitToken returns the parts of "ID.SECRET".
func SplitToken(text string) (id, secret string, err error) {
	parts := tokenForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "", fmt.Errorf("a token is ID.SECRET, 6 and 16 of a-z and 0-9, as \"accord token create\" prints it")
	}
	return parts[1], parts[2], nil
}

// String returns "ID.SECRET".
func (t Token) String() string { return t.ID + "." + t.Secret }

// User returns the user name as which the token authenticates.
func (t Token) User() string { return api.BootstrapUserPrefix + t.ID }

// TokenID returns the ID of the token that authenticates as a user; empty for another user.
func TokenID(user string) string {
	id, found := strings.CutPrefix(user, api.BootstrapUserPrefix)
	if !found {
		return ""
	}
	return id
}

// SecretName returns the name of the Secret of a token in the namespace kube-system.
func SecretName(id string) string { return api.BootstrapTokenSecretPrefix + id }

// Left returns the number of clusters that the token may still register.
func (t Token) Left() int { return max(t.Uses-len(t.UsedBy), 0) }

// Expired reports whether the token has ended.
func (t Token) Expired(now time.Time) bool { return !now.Before(t.Expires) }

// Permits reports whether the token may register a cluster of this name.
func (t Token) Permits(cluster string) bool {
	matches, err := path.Match(t.Clusters, cluster)
	return err == nil && matches
}

// Used returns the token after its use by a request. The last use ends the token soon.
func (t Token) Used(by types.UID, now time.Time) Token {
	if slices.Contains(t.UsedBy, by) {
		return t
	}
	t.UsedBy = append(slices.Clone(t.UsedBy), by)
	if soon := now.Add(AfterLastUse); t.Left() == 0 && soon.Before(t.Expires) {
		t.Expires = soon
	}
	return t
}

// Put writes the token into its Secret. It changes nothing else of the Secret.
func (t Token) Put(s *corev1.Secret) {
	s.Namespace, s.Name, s.Type = metav1.NamespaceSystem, SecretName(t.ID), corev1.SecretTypeBootstrapToken
	if s.Labels == nil {
		s.Labels = map[string]string{}
	}
	s.Labels[ManagedByLabel] = ManagedBy
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	var uids []string
	for _, uid := range t.UsedBy {
		uids = append(uids, string(uid))
	}
	s.Annotations[ClustersAnnotation], s.Annotations[UsesAnnotation] = t.Clusters, strconv.Itoa(t.Uses)
	s.Annotations[UsedByAnnotation] = strings.Join(uids, ",")
	s.Data = map[string][]byte{
		api.BootstrapTokenIDKey: []byte(t.ID), api.BootstrapTokenSecretKey: []byte(t.Secret), api.BootstrapTokenExtraGroupsKey: []byte(BootstrapGroup),
		api.BootstrapTokenExpirationKey:   []byte(t.Expires.UTC().Format(time.RFC3339)),
		api.BootstrapTokenUsageSigningKey: []byte("true"), api.BootstrapTokenUsageAuthentication: []byte("true"),
		api.BootstrapTokenDescriptionKey: []byte(t.Description),
	}
}

// ReadToken reads a token from its Secret. It returns an error for the Secret of another program, and for one that is malformed.
func ReadToken(s *corev1.Secret) (Token, error) {
	data := func(key string) string { return string(s.Data[key]) }
	t := Token{
		ID: data(api.BootstrapTokenIDKey), Secret: data(api.BootstrapTokenSecretKey), Description: data(api.BootstrapTokenDescriptionKey),
		Clusters: s.Annotations[ClustersAnnotation],
	}
	fail := func(format string, args ...any) (Token, error) {
		return Token{}, fmt.Errorf("secret %s/%s: "+format, append([]any{s.Namespace, s.Name}, args...)...)
	}
	switch {
	case s.Namespace != metav1.NamespaceSystem || s.Type != corev1.SecretTypeBootstrapToken || s.Name != SecretName(t.ID):
		return fail("it is not a bootstrap token")
	case data(api.BootstrapTokenExtraGroupsKey) != BootstrapGroup || t.Clusters == "":
		return fail("it is not a token of accord")
	}
	if _, _, err := SplitToken(t.String()); err != nil {
		return fail("%w", err)
	}
	if _, err := path.Match(t.Clusters, ""); err != nil {
		return fail("the annotation %s is %q: %w", ClustersAnnotation, t.Clusters, err)
	}
	var err error
	if t.Expires, err = time.Parse(time.RFC3339, data(api.BootstrapTokenExpirationKey)); err != nil {
		return fail("its expiration is not a time: %w", err)
	}
	if t.Uses, err = strconv.Atoi(s.Annotations[UsesAnnotation]); err != nil || t.Uses < 1 {
		return fail("the annotation %s is %q, expected a number of at least 1", UsesAnnotation, s.Annotations[UsesAnnotation])
	}
	for uid := range strings.SplitSeq(s.Annotations[UsedByAnnotation], ",") {
		if uid != "" {
			t.UsedBy = append(t.UsedBy, types.UID(uid))
		}
	}
	return t, nil
}
