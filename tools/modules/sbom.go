// SPDX-License-Identifier: MPL-2.0

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// program is the prefix of the names of the provider's binaries.
const program = "terraform-provider-assess_v"

// writeSBOM writes the bill of materials of an archive, as CycloneDX JSON. It reads
// the binary, and so lists the modules that are linked on that platform.
// The same archive always gives the same bytes.
func writeSBOM(archive, document string) error {
	content, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	bom, err := billOfMaterials(content)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	file, err := os.Create(document)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

func billOfMaterials(archive []byte) (*cdx.BOM, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(files.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, program) })
	if at < 0 {
		return nil, fmt.Errorf("no file is named %s*", program)
	}
	binary, err := unpack(files.File[at])
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	version := strings.TrimSuffix(strings.TrimPrefix(path.Base(files.File[at].Name), program), ".exe")
	provider := component(cdx.ComponentTypeApplication, own, "v"+version, "MPL-2.0")
	provider.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum(binary)}}
	provider.Properties = buildSettings(info)

	bom := cdx.NewBOM()
	bom.SerialNumber = serial(archive)
	bom.Metadata = &cdx.Metadata{
		Timestamp: files.File[at].Modified.UTC().Format(time.RFC3339), // of the commit
		Component: &provider,
	}
	byModule := licenses(licenseList)
	components := []cdx.Component{
		component(cdx.ComponentTypeLibrary, standard, strings.TrimPrefix(info.GoVersion, "go"), byModule[standard]),
	}
	var references []string
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		c := component(cdx.ComponentTypeLibrary, dep.Path, dep.Version, byModule[dep.Path])
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: dep.Sum}}
		components = append(components, c)
	}
	for _, c := range components {
		references = append(references, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: provider.BOMRef, Dependencies: &references}}
	return bom, nil
}

func unpack(file *zip.File) ([]byte, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

// component describes a module. Its reference is its package URL.
func component(kind cdx.ComponentType, name, version, license string) cdx.Component {
	url := "pkg:golang/" + name + "@" + version
	c := cdx.Component{Type: kind, BOMRef: url, PackageURL: url, Name: name, Version: version}
	switch {
	case strings.Contains(license, " "):
		c.Licenses = &cdx.Licenses{{Expression: license}}
	case license != "":
		c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: license}}}
	}
	return c
}

// buildSettings are the settings that decide which bytes the compiler writes.
func buildSettings(info *debug.BuildInfo) *[]cdx.Property {
	var properties []cdx.Property
	for _, setting := range info.Settings {
		properties = append(properties, cdx.Property{Name: "go:build:" + setting.Key, Value: setting.Value})
	}
	return &properties
}

// serial is a UUID that depends only on the archive (RFC 9562, version 8).
func serial(archive []byte) string {
	h := sha256.Sum256(archive)
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}
