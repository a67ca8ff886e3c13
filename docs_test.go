package accord_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manual is the documentation that people write. Its names are compared with the code and with the generated reference, which
// other tests keep current.
type manual struct {
	commands map[string]map[string]bool // flags of each command
	targets  map[string]bool            // of make
	metrics  string
	fields   map[string]bool // paths below spec and status, without []
	source   string          // Go files without tests
	words    map[string]bool // of source and of the table of statuses
}

// TestNamesInDocsExist: each command, flag, target of make, metric, annotation, field, reason and test that a page names exists, and so does
// each link to a page or a heading.
func TestNamesInDocsExist(t *testing.T) {
	m := readManual(t)
	names := 0
	walk(t, ".", func(name string, entry fs.DirEntry) {
		if entry.IsDir() || path.Ext(name) != ".md" || name != "README.md" && !strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "docs/reference/") {
			return
		}
		inBlock := false
		for i, line := range strings.Split(read(t, name), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				inBlock = !inBlock
				continue
			}
			found, unknown := m.check(line, inBlock)
			names += found
			for _, u := range unknown {
				t.Errorf("%s:%d: there is no %s", name, i+1, u)
			}
			for _, link := range relativeLink.FindAllStringSubmatch(line, -1) {
				names++
				file, anchor := path.Join(path.Dir(name), link[1]), link[2]
				if link[1] == "" {
					file = name
				}
				if _, err := os.Stat(file); err != nil || anchor != "" && !strings.Contains(anchors(read(t, file)), "\n"+anchor+"\n") {
					t.Errorf("%s:%d: the link leads nowhere: %s", name, i+1, link[0])
				}
			}
		}
	})
	require.Greater(t, names, 500)
}

// relativeLink matches a link to a page of the repository, or to a heading.
var relativeLink = regexp.MustCompile(`\]\(([^():#]*)(?:#([^()]*))?\)`)

// anchors returns the anchor of each heading, as GitHub derives it, each on a line.
func anchors(page string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(page) {
		if title, isHeading := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); isHeading && strings.HasPrefix(line, "#") {
			b.WriteString(strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-") + "\n")
		}
	}
	return b.String()
}

var noAnchor = regexp.MustCompile(`[^a-z0-9 _-]`)

func TestNamesInDocsFindsFaults(t *testing.T) {
	m := readManual(t)
	for line, want := range map[string][]string{
		"accord plan --bsae main":                    {"flag --bsae of accord plan"},
		"`accord paln` and `accord rollout history`": {"command accord paln"},
		"`accord hold x` has `--dry-run`, `--yess`":  {"flag --yess"},
		"`make deom`":                                      {"target deom of make"},
		"`accord_cluster_breaker_stat`":                    {"metric accord_cluster_breaker_stat"},
		"`accord.dev/forced: enabled`":                     {"annotation or label accord.dev/forced"},
		"`spec.pruneLimit.maxPercent`":                     {"field spec.pruneLimit.maxPercent"},
		"`Ready=False/PreflightFail`":                      {"condition or reason PreflightFail"},
		"`federation.accord.dev`, `fedrations.accord.dev`": {"kind fedrations.accord.dev"},
		"`Superceded`":                                     {"name Superceded"},
		"kubectl get --bsae, spec.nothing":                 nil,
		"accord render -c eu-1 # as accord plan":           nil,
	} {
		_, unknown := m.check(line, !strings.Contains(line, "`"))
		require.Equal(t, want, unknown, line)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

var (
	flagName     = regexp.MustCompile(`--[a-z][a-z0-9-]*`)
	agentFlag    = regexp.MustCompile(`set\.\w+Var\(&[\w.]+, "([a-z-]+)"`)
	makeTarget   = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	tableField   = regexp.MustCompile("(?m)^\\| `((?:spec|status)[^`]*)`")
	word         = regexp.MustCompile(`[A-Z][A-Za-z0-9]+`)
	testName     = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	codeSpan     = regexp.MustCompile("`[^`]+`")
	accordLine   = regexp.MustCompile("(?:^|[`|$(;]) *accord((?: [a-z]+)+)([^`|;#]*)")
	makeLine     = regexp.MustCompile(`(?:^|\x60)make ([a-z-]+)`)
	metricName   = regexp.MustCompile(`\baccord_[a-z_]+`)
	annotation   = regexp.MustCompile(`\b((?:[a-z]+\.)?accord\.dev/[a-z-]+)`)
	fieldPath    = regexp.MustCompile(`^\x60((?:spec|status)\.[a-zA-Z.\[\]0-9]+)`)
	conditionIs  = regexp.MustCompile(`\b([A-Z][A-Za-z]+)=(?:True|False|Unknown)(?:/([A-Z][A-Za-z]+))?`)
	capitalized  = regexp.MustCompile("^`([A-Z][a-z][A-Za-z0-9]+)`$")
	fullName     = regexp.MustCompile(`\b([a-z]+s)\.accord\.dev\b`)
	onlyFlag     = regexp.MustCompile("^`(--[a-z][a-z0-9-]*)")
	foreignField = regexp.MustCompile(`^(spec\.(template|replicas|suspend|clusterIPs?|healthCheckNodePort|volumeName|claimRef|selector|nodeName|serviceAccountName|password)|status\.(collisionCount|unavailableReplicas))\b`)
)

// otherFlags belong to Karmada and to examples/bench; --member- is a prefix.
var otherFlags = []string{"--skipped-propagating-", "--scale-profiles", "--member-"}

func readManual(t *testing.T) *manual {
	var source strings.Builder
	m := &manual{commands: map[string]map[string]bool{}, targets: map[string]bool{}, fields: map[string]bool{}, words: map[string]bool{}, metrics: read(t, "docs/reference/metrics.md")}
	for _, section := range strings.Split(read(t, "docs/reference/cli.md"), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		flags := map[string]bool{}
		for _, f := range flagName.FindAllString(text[strings.LastIndex(text, "\nFlags:"):], -1) {
			flags[f] = true
		}
		m.commands[title] = flags
	}
	agent := map[string]bool{}
	for _, f := range agentFlag.FindAllStringSubmatch(read(t, "cmd/accord-agent/main.go")+read(t, "cmd/accord-agent/enrollment.go"), -1) {
		agent["--"+f[1]] = true
	}
	m.commands["accord-agent"] = agent
	for _, target := range makeTarget.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		m.targets[target[1]] = true
	}
	for _, f := range tableField.FindAllStringSubmatch(read(t, "docs/reference/api.md"), -1) {
		m.fields[strings.NewReplacer("[]", "", "{}", "").Replace(f[1])] = true
	}
	walk(t, ".", func(name string, entry fs.DirEntry) {
		switch {
		case entry.IsDir():
		case strings.HasPrefix(name, "api/jsonschema/schemas/"):
			var s jsonSchema
			require.NoError(t, json.Unmarshal([]byte(read(t, name)), &s))
			m.addFields(s, "")
		case strings.HasSuffix(name, "_test.go"):
			for _, test := range testName.FindAllStringSubmatch(read(t, name), -1) {
				m.words[test[1]] = true
			}
		case path.Ext(name) == ".go":
			source.WriteString(read(t, name))
		}
	})
	m.source = source.String()
	for _, word := range word.FindAllString(m.source+read(t, "docs/reference/truth.md"), -1) {
		m.words[word] = true
	}
	return m
}

// jsonSchema has the parts of a JSON schema that name fields.
type jsonSchema struct {
	Properties map[string]jsonSchema `json:"properties"`
	Items      *jsonSchema           `json:"items"`
}

func (m *manual) addFields(s jsonSchema, prefix string) {
	for name, field := range s.Properties {
		m.fields[prefix+name] = true
		m.addFields(field, prefix+name+".")
	}
	if s.Items != nil {
		m.addFields(*s.Items, prefix)
	}
}

// check returns the number of names in a line, and the unknown ones.
func (m *manual) check(line string, inBlock bool) (names int, unknown []string) {
	expect := func(known bool, format string, args ...any) {
		names++
		if !known {
			unknown = append(unknown, fmt.Sprintf(format, args...))
		}
	}
	parts := codeSpan.FindAllString(line, -1)
	if inBlock {
		parts = []string{line}
	}
	for _, part := range parts {
		for _, match := range accordLine.FindAllStringSubmatch(part, -1) {
			m.checkCommand(match[1], match[2], expect)
		}
		if match := onlyFlag.FindStringSubmatch(part); match != nil && !slices.Contains(otherFlags, match[1]) {
			expect(m.anyFlag(match[1]), "flag %s", match[1])
		}
		for _, match := range makeLine.FindAllStringSubmatch(part, -1) {
			expect(m.targets[match[1]], "target %s of make", match[1])
		}
		for _, name := range metricName.FindAllString(part, -1) {
			expect(strings.Contains(m.metrics, "`"+name+"`"), "metric %s", name)
		}
		for _, name := range annotation.FindAllString(part, -1) {
			group, _, _ := strings.Cut(name, "/")
			expect(strings.Contains(m.source, name) || group != "accord.dev" && strings.Contains(m.source, `"`+group+`/"`), "annotation or label %s", name)
		}
		for _, match := range conditionIs.FindAllStringSubmatch(part, -1) {
			for _, name := range match[1:] {
				if name != "" {
					expect(m.words[name], "condition or reason %s", name)
				}
			}
		}
		for _, match := range fullName.FindAllStringSubmatch(part, -1) {
			_, err := os.Stat("api/v1alpha1/crds/accord.dev_" + match[1] + ".yaml")
			expect(err == nil, "kind %s.accord.dev", match[1])
		}
		if match := fieldPath.FindStringSubmatch(part); match != nil {
			field := strings.TrimRight(strings.ReplaceAll(match[1], "[]", ""), ".")
			expect(m.fields[field] || foreignField.MatchString(field), "field %s", field)
		}
		if match := capitalized.FindStringSubmatch(part); match != nil && !strings.HasPrefix(match[1], "FieldValue") { // a cause of the API server
			expect(m.words[match[1]], "name %s", match[1])
		}
	}
	return names, unknown
}

// checkCommand checks the longest command that words begin with, and its flags.
func (m *manual) checkCommand(words, rest string, expect func(bool, string, ...any)) {
	all := strings.Fields(words)
	command := "accord " + all[0]
	if len(all) > 1 && m.commands[command+" "+all[1]] != nil {
		command += " " + all[1]
	}
	if slices.Contains([]string{"accord completion", "accord help"}, command) {
		return
	}
	expect(m.commands[command] != nil, "command %s", command)
	for _, f := range flagName.FindAllString(rest, -1) {
		expect(m.commands[command] == nil || m.commands[command][f], "flag %s of %s", f, command)
	}
}

func (m *manual) anyFlag(name string) bool {
	for _, flags := range m.commands {
		if flags[name] {
			return true
		}
	}
	return name == "--help"
}
