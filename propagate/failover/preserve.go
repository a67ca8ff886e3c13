package failover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/util/jsonpath"

	"github.com/accord-dev/accord/api/policy"
)

// preserved returns the labels that carry values of the status of a copy to its replacement (Karmada 5.6); nil without rules.
func preserved(rules *policy.StatePreservation, status []byte) (map[string]string, error) {
	if rules == nil || len(rules.Rules) == 0 {
		return nil, nil
	}
	if len(status) == 0 {
		return nil, errors.New("the copy has no known status")
	}
	var value any
	if err := json.Unmarshal(status, &value); err != nil {
		return nil, fmt.Errorf("decoding the status: %w", err)
	}
	labels := map[string]string{}
	for _, r := range rules.Rules {
		text, err := evaluate(r.JSONPath, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.AliasLabelName, err)
		}
		if problems := validation.IsValidLabelValue(text); len(problems) > 0 {
			return nil, fmt.Errorf("%s: the value of %s is no label value: %s", r.AliasLabelName, r.JSONPath, strings.Join(problems, "; "))
		}
		labels[r.AliasLabelName] = text
	}
	return labels, nil
}

// evaluate returns the value of a JSONPath template in a status.
func evaluate(path string, status any) (string, error) {
	template := jsonpath.New("status")
	if err := template.Parse(path); err != nil {
		return "", fmt.Errorf("parsing jsonPath %q: %w", path, err)
	}
	var b bytes.Buffer
	if err := template.Execute(&b, status); err != nil {
		return "", fmt.Errorf("evaluating jsonPath %q: %w", path, err)
	}
	return b.String(), nil
}
