package clusterimport

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/importer"
)

// Report is the result of an import.
type Report struct {
	Directory string          `json:"directory"`
	Objects   int             `json:"objects"`
	Policies  int             `json:"policies"`
	Varying   []string        `json:"varying"` // objects that OverridePolicies change
	LeftOut   map[string]int  `json:"leftOut"` // objects by reason
	Secrets   []listedSecret  `json:"secrets"`
	NotPlaced []refusedObject `json:"notPlaced"`
}

// DocumentKind implements text.Document.
func (Report) DocumentKind() string { return "Import" }

type listedSecret struct {
	Object   string   `json:"object"`
	Clusters []string `json:"clusters"`
}

type refusedObject struct {
	Cluster string `json:"cluster"`
	Object  string `json:"object"`
	Reason  string `json:"reason"`
}

func (o *Options) report(out io.Writer, result *importer.Result) error {
	r := Report{
		Directory: o.dir, Objects: len(result.Objects), Policies: len(result.Policies), LeftOut: map[string]int{},
		Varying: []string{}, Secrets: []listedSecret{}, NotPlaced: []refusedObject{},
	}
	for _, object := range result.Objects {
		if object.Varies {
			r.Varying = append(r.Varying, object.ID.String())
		}
	}
	for _, left := range result.LeftOut {
		r.LeftOut[general(left.Reason)]++
	}
	for _, secret := range result.Secrets {
		r.Secrets = append(r.Secrets, listedSecret{secret.ID.String(), secret.Clusters})
	}
	for _, refused := range result.Refused {
		r.NotPlaced = append(r.NotPlaced, refusedObject{refused.Cluster, refused.ID.String(), refused.Reason})
	}
	if o.output.Value == text.AsJSON {
		return text.Encode(out, text.AsJSON, r)
	}
	return r.print(out, o.policy)
}

// general returns a reason without the name of an owner: "made by ReplicaSet web-1" is "made by ReplicaSet".
func general(reason string) string {
	words := strings.Fields(reason)
	if len(words) == 4 && words[1] == "by" && words[2] != "its" {
		words = words[:3]
	}
	return strings.Join(words, " ")
}

func (r Report) print(out io.Writer, policy bool) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(out, format+"\n", args...)
		errs = append(errs, err)
	}
	line("wrote %s and %s to %s", phrase.Count(r.Objects, "object"), phrase.Count(r.Policies, "policy"), r.Directory)
	for _, reason := range slices.Sorted(maps.Keys(r.LeftOut)) {
		line("left out: %s: %s", phrase.Count(r.LeftOut[reason], "object"), reason)
	}
	for _, secret := range r.Secrets {
		line("left out: %s of %s: encrypt it for Git", secret.Object, phrase.List(secret.Clusters, 8))
	}
	if len(r.Varying) > 0 {
		line("%s between the clusters, and OverridePolicies say how: %s", phrase.Count(len(r.Varying), "object")+phrase.Plural(len(r.Varying), " differs", " differ"), phrase.List(r.Varying, 8))
	}
	for _, refused := range r.NotPlaced {
		line("not placed on %s: %s: %s", refused.Cluster, refused.Object, refused.Reason)
	}
	if policy {
		line("next: accord import --verify with the same contexts, accord lint %s, commit and push; accord then adopts the objects", r.Directory)
	} else {
		line("next: write policies, or import again with --policy")
	}
	return errors.Join(errs...)
}
