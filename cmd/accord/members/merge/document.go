package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// SourceAnnotation on an object of a merged answer has the name of its cluster, as Karmada spells it (Karmada 9.3).
const SourceAnnotation = "resource.karmada.io/cached-from-cluster"

// Answer is the JSON that a server answered.
type Answer struct {
	Source
	Body []byte
}

// list is a list of any kind.
type list struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []json.RawMessage `json:"items"`
}

// Documents returns one table or list with the rows or items of all answers, in their order; an object of a single answer stays an object.
// Several answers of one source are the pages of a list.
func Documents(answers []Answer, pods bool) ([]byte, error) {
	kinds := make([]list, len(answers))
	for i, a := range answers {
		if err := utiljson.Unmarshal(a.Body, &kinds[i]); err != nil || kinds[i].Kind == "" {
			return nil, fmt.Errorf("%s answered with no Kubernetes object", a.Name)
		}
		if kinds[i].Items == nil && strings.HasSuffix(kinds[i].Kind, "List") {
			kinds[i].Items = []json.RawMessage{}
		}
	}
	switch {
	case kinds[0].Kind == "Table":
		return mergedTable(answers, pods)
	case kinds[0].Items == nil && len(answers) == 1:
		return annotated(answers[0].Source, answers[0].Body)
	}
	return mergedList(answers, kinds)
}

func mergedTable(answers []Answer, pods bool) ([]byte, error) {
	var all *metav1.Table
	columns, versions := &Tables{Pods: pods}, map[string]string{}
	for _, a := range answers {
		table := &metav1.Table{}
		if err := utiljson.Unmarshal(a.Body, table); err != nil || table.Kind != "Table" {
			return nil, fmt.Errorf("%s answered with no table", a.Name)
		}
		versions[a.Name] = table.ResourceVersion
		columns.Extend(a.Source, table)
		if all == nil {
			all = table
		} else {
			all.Rows = append(all.Rows, table.Rows...)
		}
	}
	all.ListMeta = metav1.ListMeta{ResourceVersion: EncodeVersions(versions)}
	return json.Marshal(all)
}

// mergedList returns a list of the items of lists, and of single objects.
func mergedList(answers []Answer, kinds []list) ([]byte, error) {
	all, versions := list{TypeMeta: kinds[0].TypeMeta, Items: []json.RawMessage{}}, map[string]string{}
	if kinds[0].Items == nil {
		all.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "List"}
	}
	for i, a := range answers {
		versions[a.Name] = kinds[i].ResourceVersion
		items := kinds[i].Items
		if items == nil {
			items = []json.RawMessage{a.Body}
		}
		for _, item := range items {
			item, err := annotated(a.Source, item)
			if err != nil {
				return nil, err
			}
			all.Items = append(all.Items, item)
		}
	}
	all.ResourceVersion = EncodeVersions(versions)
	return json.Marshal(all)
}

// annotated returns an object with the name of its cluster. Objects of the hub have none.
func annotated(from Source, object []byte) ([]byte, error) {
	if from.Hub {
		return object, nil
	}
	var o map[string]any
	if err := utiljson.Unmarshal(object, &o); err != nil {
		return nil, fmt.Errorf("reading an object of %s: %w", from.Name, err)
	}
	metadata, ok := o["metadata"].(map[string]any)
	if !ok {
		return object, nil
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations[SourceAnnotation] = from.Name
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(o)
	return b.Bytes(), err
}
