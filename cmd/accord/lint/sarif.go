package lint

import (
	"net/url"
	"slices"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/internal/version"
	"github.com/accord-dev/accord/propagate/check"
)

// jsonObject is a JSON object.
type jsonObject = map[string]any

// sarif returns the part of SARIF 2.1.0 that code scanning reads. It lists all rules, so that a viewer can explain them.
func (r *Report) sarif() jsonObject {
	checks, rules, results := check.All(), []jsonObject{}, []jsonObject{}
	for _, c := range checks {
		rules = append(rules, sarifRule(c))
	}
	for _, l := range r.Findings {
		place := jsonObject{"artifactLocation": jsonObject{"uri": l.uri(r.tree)}}
		if region := l.region(); region != nil {
			place["region"] = region
		}
		results = append(results, jsonObject{
			"ruleId": l.Code, "ruleIndex": slices.IndexFunc(checks, func(c check.Check) bool { return c.Code == l.Code }), "level": l.Severity, "message": jsonObject{"text": l.text()},
			"locations": []jsonObject{{"physicalLocation": place}},
		})
	}
	return jsonObject{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []jsonObject{{
			"tool":       jsonObject{"driver": jsonObject{"name": "accord lint", "version": version.Get().Version, "rules": rules}},
			"columnKind": "unicodeCodePoints", "results": results,
		}},
	}
}

func sarifRule(c check.Check) jsonObject {
	help := c.Why + "\n\n" + c.Fix
	return jsonObject{
		"id": c.Code, "shortDescription": jsonObject{"text": c.Summary}, "fullDescription": jsonObject{"text": c.Why},
		"defaultConfiguration": jsonObject{"level": c.Severity},
		"help":                 jsonObject{"text": help, "markdown": help + "\n\n```yaml\n" + strings.TrimSpace(c.Example) + "\n```\n"},
	}
}

// uri returns the file relative to the current directory, which is the root of the repository in a pipeline. A finding without a
// file is about the directory.
func (l Finding) uri(t *load.Tree) string {
	p := "."
	if l.Path != "" {
		p = t.RelativePath(l.Path)
	}
	return (&url.URL{Path: p}).String()
}

// region returns the position in the file, nil if no line is known.
func (l Finding) region() jsonObject {
	switch {
	case l.Line == 0:
		return nil
	case l.Column == 0:
		return jsonObject{"startLine": l.Line}
	}
	return jsonObject{"startLine": l.Line, "startColumn": l.Column}
}
