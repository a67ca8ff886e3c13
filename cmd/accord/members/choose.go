package members

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
	"github.com/accord-dev/accord/cmd/accord/members/merge"
	"github.com/accord-dev/accord/internal/phrase"
)

// choose returns the only cluster that has the object of the command.
func (c *call) choose(servers []fanout.Server) ([]fanout.Server, error) {
	fleet := fanout.New(servers, basePath(c.onHub), nil)
	title, found, err := c.whereIs(fleet, servers)
	failed := fleet.Failures()
	if err != nil && !apierrors.IsNotFound(err) && len(failed) == 0 {
		return nil, fmt.Errorf("looking for %s on the clusters: %w", title, err)
	}
	for _, f := range failed {
		fmt.Fprintf(c.streams().ErrOut, "%s: %v\n", f.Server, f.Err)
	}
	all := "name one with --cluster"
	if c.many {
		all = "name one with --cluster, or read all with --all-clusters"
	}
	switch {
	case len(found) == 0 && len(failed) > 0:
		return nil, &exit.Error{Code: 1, Err: fmt.Errorf("no cluster that answers has %s", title)}
	case len(found) == 0:
		return nil, &exit.Error{Code: 1, Err: fmt.Errorf("no cluster has %s", title)}
	case len(found) > 1:
		return nil, &exit.Error{Code: 1, Err: fmt.Errorf("%s is on %s: %s", title, phrase.And(found, 5), all)}
	}
	fmt.Fprintf(c.streams().ErrOut, "on cluster %s\n", found[0])
	at := slices.IndexFunc(servers, func(s fanout.Server) bool { return s.Name == found[0] })
	return servers[at : at+1], nil
}

// whereIs returns the clusters that have the object of the command, or pods of its selector.
func (c *call) whereIs(fleet *fanout.Fleet, servers []fanout.Server) (title string, found []string, err error) {
	getter := c.toAll(fleet, servers)
	namespace, _, err := getter.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", nil, err
	}
	f := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(getter))
	builder := f.NewBuilder().Unstructured().NamespaceParam(namespace).DefaultNamespace()
	selector := ""
	if s := c.cmd.Flag("selector"); s != nil {
		selector = s.Value.String()
	}
	switch {
	case selector != "":
		title = "pods with " + selector
		builder = builder.LabelSelectorParam(selector).ResourceTypes("pods")
	case len(c.args) == 0:
		return "", nil, errors.New("name a pod, or KIND/NAME")
	default:
		title = c.args[0]
		if !strings.Contains(title, "/") {
			title = "pod/" + title
		}
		builder = builder.ResourceNames("pods", c.args[0])
	}
	infos, err := builder.Do().Infos()
	for _, info := range infos {
		if apimeta.IsListType(info.Object) {
			items, err := apimeta.ExtractList(info.Object)
			if err != nil {
				return title, nil, err
			}
			for _, item := range items {
				found = append(found, clusterOf(item))
			}
		} else {
			found = append(found, clusterOf(info.Object))
		}
	}
	slices.Sort(found)
	return title + " in namespace " + namespace, slices.Compact(found), err
}

// clusterOf returns the cluster of an object of a merged answer.
func clusterOf(object any) string {
	o, err := apimeta.Accessor(object)
	if err != nil {
		return ""
	}
	return o.GetAnnotations()[merge.SourceAnnotation]
}
