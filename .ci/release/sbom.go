package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

// writeSBOM writes an SPDX document of the modules in the programs, as the Go command recorded them.
func (r *release) writeSBOM(file, name string, programs []string) error {
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: name,
		DocumentNamespace: "https://accord.dev/spdx/" + name + "/" + r.commit,
		CreationInfo:      &spdx.CreationInfo{Created: r.date.Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: "accord-release-" + r.version}}},
	}
	modules := map[string]*spdx.Package{}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		sum, err := sha256Of(path)
		if err != nil {
			return err
		}
		binary := modulePackage("Program-"+filepath.Base(path), filepath.Base(path), r.version, "Apache-2.0")
		binary.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: sum}}
		doc.Packages = append(doc.Packages, binary)
		doc.Relationships = append(doc.Relationships, relation("DOCUMENT", common.TypeRelationshipDescribe, binary.PackageSPDXIdentifier))
		goVersion := modulePackage("Go", "stdlib", info.GoVersion, "BSD-3-Clause")
		modules["stdlib"] = goVersion
		doc.Relationships = append(doc.Relationships, relation(binary.PackageSPDXIdentifier, common.TypeRelationshipContains, goVersion.PackageSPDXIdentifier))
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			p := modulePackage("Module-"+identifier(m.Path+"-"+m.Version), m.Path, m.Version, "NOASSERTION")
			p.PackageDownloadLocation = fmt.Sprintf("https://proxy.golang.org/%s/@v/%s.zip", m.Path, m.Version)
			p.PackageExternalReferences = []*spdx.PackageExternalReference{{
				Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: "pkg:golang/" + m.Path + "@" + m.Version,
			}}
			modules[m.Path+"@"+m.Version] = p
			doc.Relationships = append(doc.Relationships, relation(binary.PackageSPDXIdentifier, common.TypeRelationshipContains, p.PackageSPDXIdentifier))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(modules)) {
		doc.Packages = append(doc.Packages, modules[key])
	}
	return writeFile(file, func(w io.Writer) error { return spdxjson.Write(doc, w) })
}

func modulePackage(id, name, version, license string) *spdx.Package {
	return &spdx.Package{
		PackageSPDXIdentifier: common.ElementID(id), PackageName: name, PackageVersion: version, PackageDownloadLocation: "NOASSERTION",
		PackageLicenseConcluded: license, PackageLicenseDeclared: license, PackageCopyrightText: "NOASSERTION",
	}
}

// identifier replaces what an SPDX identifier must not have.
func identifier(text string) string {
	id := []byte(text)
	for i, c := range id {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-') {
			id[i] = '-'
		}
	}
	return string(id)
}

func relation(from common.ElementID, kind string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{RefA: common.DocElementID{ElementRefID: from}, Relationship: kind, RefB: common.DocElementID{ElementRefID: to}}
}
