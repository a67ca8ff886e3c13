// Package token creates, lists and deletes the bootstrap tokens with which clusters in pull mode register.
package token

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	api "k8s.io/cluster-bootstrap/token/api"
	tokenutil "k8s.io/cluster-bootstrap/token/util"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Command returns "accord token".
func Command() *cobra.Command {
	c := &cobra.Command{Use: "token", Short: "Create tokens that register clusters in pull mode", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(createCommand(), listCommand(), deleteCommand())
	return c
}

func listCommand() *cobra.Command {
	f := &hub.Flags{}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tokens of accord, without their secrets",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return list(c.Context(), c.OutOrStdout(), f) },
	}
	f.Register(c.Flags())
	return c
}

func list(ctx context.Context, out io.Writer, f *hub.Flags) error {
	h, err := f.Connect()
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return err
	}
	secrets, err := c.CoreV1().Secrets(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{FieldSelector: "type=" + string(api.SecretTypeBootstrapToken)})
	if err != nil {
		return h.Wrap("listing the tokens", err)
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "ID\tCLUSTERS\tUSES LEFT\tTTL\tEXPIRES\tDESCRIPTION")
	for i := range secrets.Items {
		t, err := registration.ReadToken(&secrets.Items[i])
		if err != nil {
			continue // it is not accord's
		}
		left := "expired"
		if until := time.Until(t.Expires); until > 0 {
			left = duration.HumanDuration(until)
		}
		fmt.Fprintf(table, "%s\t%s\t%d/%d\t%s\t%s\t%s\n", t.ID, t.Clusters, t.Left(), t.Uses, left, t.Expires.UTC().Format(time.RFC3339), t.Description)
	}
	return table.Flush()
}

func deleteCommand() *cobra.Command {
	f := &hub.Flags{}
	c := &cobra.Command{
		Use:     "delete ID",
		Short:   "Delete a token; the clusters that it registered stay",
		Example: "  accord token delete 8f3k2a",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return remove(c.Context(), c.OutOrStdout(), f, args[0]) },
	}
	f.Register(c.Flags())
	return c
}

// remove deletes the Secret of a token and its signature. text is the ID of the token, or the token.
func remove(ctx context.Context, out io.Writer, f *hub.Flags, text string) error {
	id, _, _ := strings.Cut(text, ".")
	if !tokenutil.IsValidBootstrapTokenID(id) {
		return fmt.Errorf("token %q: expected the ID, 6 of a-z and 0-9, as \"accord token list\" prints it", id)
	}
	h, err := f.Connect()
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return err
	}
	secrets := c.CoreV1().Secrets(metav1.NamespaceSystem)
	secret, err := secrets.Get(ctx, registration.SecretName(id), metav1.GetOptions{})
	if err != nil {
		return h.Wrap("reading the token "+id, err)
	}
	if _, err := registration.ReadToken(secret); err != nil {
		return fmt.Errorf("deleting the token %s: %w", id, err)
	}
	if err := secrets.Delete(ctx, secret.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &secret.UID}}); err != nil {
		return h.Wrap("deleting the token "+id, err)
	}
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		info, err := c.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, api.ConfigMapClusterInfo, metav1.GetOptions{})
		if err != nil || !bootstrap.Unsign(info, id) {
			return err
		}
		_, err = c.CoreV1().ConfigMaps(metav1.NamespacePublic).Update(ctx, info, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return h.Wrap("removing the signature of the token "+id, err)
	}
	_, err = fmt.Fprintf(out, "deleted token %s\n", id)
	return err
}
