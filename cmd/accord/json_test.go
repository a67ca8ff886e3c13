package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonField reads a field of the JSON on stdout, "findings.0.code", and matches all of it with a regular expression.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("stdout is not JSON: %v", err)
	}
	got, found := dig(v, args[0])
	if len(args) == 1 {
		if found == neg {
			ts.Fatalf("%s: found %v, expected %v", args[0], found, !neg)
		}
		return
	}
	text := fmt.Sprint(got)
	if got != nil {
		if _, isText := got.(string); !isText {
			encoded, err := json.Marshal(got)
			ts.Check(err)
			text = string(encoded)
		}
	}
	want, err := regexp.Compile("^(?s:" + args[1] + ")$")
	ts.Check(err)
	if want.MatchString(text) == neg {
		ts.Fatalf("%s is %s, expected %s", args[0], text, args[1])
	}
}

// dig follows a path of names and indexes.
func dig(v any, field string) (any, bool) {
	for step := range strings.SplitSeq(field, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, known := at[step]
			if !known {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// sarif checks the requirements of SARIF 2.1.0 and code scanning for every rule and result on stdout.
func sarif(ts *testscript.TestScript, _ bool, _ []string) {
	type message struct{ Text string }
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID                   string
						ShortDescription     message
						Help                 message
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Message   message
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &log))
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif") || len(log.Runs) != 1 {
		ts.Fatalf("not a SARIF 2.1.0 log: version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	rules := log.Runs[0].Tool.Driver.Rules
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.Help.Text == "" || r.DefaultConfiguration.Level == "" {
			ts.Fatalf("rule %q lacks something: %+v", r.ID, r)
		}
	}
	for _, r := range log.Runs[0].Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID {
			ts.Fatalf("result of rule %q, which is not number %d of the rules", r.RuleID, r.RuleIndex)
		}
		if r.Message.Text == "" || len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" {
			ts.Fatalf("result of rule %q lacks something: %+v", r.RuleID, r)
		}
		if region := r.Locations[0].PhysicalLocation.Region; region != nil && region.StartLine < 1 {
			ts.Fatalf("result of rule %q at line %d", r.RuleID, region.StartLine)
		}
	}
}
