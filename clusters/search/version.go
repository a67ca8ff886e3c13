package search

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Versions has a resourceVersion for each cluster (Karmada 9.3).
type Versions map[string]string

// errNotEncoded is the error of a text that is not the encoding of Versions.
var errNotEncoded = errors.New("the resourceVersion is not one of a list or an event of several clusters: list again")

// String returns the encoding, base64url of a JSON object with sorted names; "" without clusters.
func (v Versions) String() string {
	if len(v) == 0 {
		return ""
	}
	text := make([]byte, 0, 40*len(v))
	for _, cluster := range slices.Sorted(maps.Keys(v)) {
		text = strconv.AppendQuote(append(text, ','), cluster)
		text = strconv.AppendQuote(append(text, ':'), v[cluster])
	}
	text[0] = '{'
	return base64.RawURLEncoding.EncodeToString(append(text, '}'))
}

// ParseVersions decodes Versions. "" and "0" are no Versions.
func ParseVersions(text string) (Versions, error) {
	if text == "" || text == "0" {
		return nil, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, errNotEncoded
	}
	var v Versions
	if err := json.Unmarshal(decoded, &v); err != nil || len(v) == 0 {
		return nil, errNotEncoded
	}
	return v, nil
}

// On returns the resourceVersion on a cluster that an encoded one has; a text that is not encoded is the one on the cluster.
func On(cluster, text string) string {
	if v, err := ParseVersions(text); err == nil && v[cluster] != "" {
		return v[cluster]
	}
	return text
}

// continuation is the place behind one page of a list (Karmada 9.3).
type continuation struct {
	// Versions are those of the first page. A watch from there has every change that a later page lacks.
	Versions string `json:"rv"`
	Cluster  string `json:"cluster,omitempty"`
	After    string `json:"continue,omitempty"` // key of the last object of the page
}

func (c continuation) String() string {
	text, _ := json.Marshal(c) // texts only
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseContinuation(text string) (c continuation, err error) {
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err == nil {
		err = json.Unmarshal(decoded, &c)
	}
	if err != nil || c.Cluster == "" {
		return c, errors.New("continue is not one of a list of several clusters: list again without it")
	}
	return c, nil
}
