// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// What `providers schema -json` writes, as far as it is looked into. The rest
// passes through as it came.
type object = map[string]any

// kinds are the keys of a provider's schema, by the word that the sources use.
var kinds = map[string]string{
	"action":    "action_schemas",
	"data":      "data_source_schemas",
	"ephemeral": "ephemeral_resource_schemas",
	"list":      "list_resource_schemas",
	"resource":  "resource_schemas",
}

// cite renames the provider to its bare name, which tfplugindocs looks for, and
// puts behind every attribute's description what it rests on.
func cite(sourcesFile string, in io.Reader, out io.Writer) error {
	sources, err := readSources(sourcesFile)
	if err != nil {
		return err
	}
	schema, err := readSchema(in)
	if err != nil {
		return err
	}
	walkSchema(schema, func(owner, path string, attribute object) {
		guide := "../guides/assumptions.md"
		if owner == "provider" {
			guide = "guides/assumptions.md"
		}
		description, _ := attribute["description"].(string)
		if citation := sources.of(owner, path).markdown(guide); citation != "" {
			attribute["description"] = strings.TrimSpace(description + " " + citation)
			attribute["description_kind"] = "markdown"
		}
	})
	return json.NewEncoder(out).Encode(object{
		"format_version":   "1.0",
		"provider_schemas": object{"assess": schema},
	})
}

// compare fails where an attribute has no line in the sources, or a line no
// attribute. What the CLI at hand gave no schemas of is not compared.
func compare(sourcesFile string, in io.Reader) error {
	sources, err := readSources(sourcesFile)
	if err != nil {
		return err
	}
	schema, err := readSchema(in)
	if err != nil {
		return err
	}
	var problems []string
	seen, owners := map[string]bool{}, map[string]bool{"provider": true}
	walkSchema(schema, func(owner, path string, _ object) {
		owners[owner] = true
		seen[owner+"\x00"+path] = true
		if sources.of(owner, path) == nil {
			problems = append(problems, fmt.Sprintf("%s: add, below %q: %s: SECTIONS AND ASSUMPTIONS", sourcesFile, owner, path))
		}
	})
	for owner, lines := range sources {
		kind, _, _ := strings.Cut(owner, " ")
		if _, given := schema[kinds[kind]]; !given && owner != "provider" {
			continue
		}
		for path := range lines {
			if !seen[owner+"\x00"+path] {
				problems = append(problems, fmt.Sprintf("%s: %s has no attribute %q", sourcesFile, owner, path))
			}
		}
	}
	slices.Sort(problems)
	return joined(problems)
}

// readSchema reads the schemas of the only provider.
func readSchema(in io.Reader) (object, error) {
	var whole struct {
		Providers map[string]object `json:"provider_schemas"`
	}
	if err := json.NewDecoder(in).Decode(&whole); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	if len(whole.Providers) != 1 {
		return nil, fmt.Errorf("the schema holds %d providers, not one", len(whole.Providers))
	}
	for _, schema := range whole.Providers {
		return schema, nil
	}
	return nil, errors.New("unreachable")
}

// walkSchema visits every attribute. The owner is "provider", or a kind and a
// name; the path holds the names of the blocks and attributes around it.
func walkSchema(schema object, visit func(owner, path string, attribute object)) {
	walkBlock(child(schema, "provider", "block"), "", func(path string, a object) { visit("provider", path, a) })
	for kind, key := range kinds {
		named := child(schema, key)
		for name := range named {
			walkBlock(child(named, name, "block"), "", func(path string, a object) { visit(kind+" "+name, path, a) })
		}
	}
}

func walkBlock(block object, prefix string, visit func(path string, attribute object)) {
	attributes := child(block, "attributes")
	for name := range attributes {
		attribute := child(attributes, name)
		visit(prefix+name, attribute)
		walkBlock(child(attribute, "nested_type"), prefix+name+".", visit)
	}
	blocks := child(block, "block_types")
	for name := range blocks {
		walkBlock(child(blocks, name, "block"), prefix+name+".", visit)
	}
}

func child(o object, names ...string) object {
	for _, name := range names {
		o, _ = o[name].(object)
	}
	return o
}

// sources say what stands behind each attribute, by owner and path.
type sources map[string]map[string]citation

// citation lists sections of the specification ("2.5") and assumptions ("A10").
// An empty one is an attribute that is the provider's own.
type citation []string

func (s sources) of(owner, path string) citation { return s[owner][path] }

func (c citation) markdown(guide string) string {
	var sections, assumptions []string
	for _, source := range c {
		if strings.HasPrefix(source, "A") {
			assumptions = append(assumptions, fmt.Sprintf("[%s](%s#%s)", source, guide, strings.ToLower(source)))
		} else {
			sections = append(sections, source)
		}
	}
	var parts []string
	switch len(sections) {
	case 0:
	case 1:
		parts = append(parts, fmt.Sprintf("[section %s](%s#sections)", sections[0], guide))
	default:
		parts = append(parts, fmt.Sprintf("[sections %s](%s#sections)", strings.Join(sections, ", "), guide))
	}
	parts = append(parts, assumptions...)
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

var sourceForm = regexp.MustCompile(`^(A?[1-9][0-9]*|[1-9]\.[1-9][0-9]*)$`)

// readSources reads a text of owners at the left margin and, indented below
// each, lines of "PATH: SOURCE, SOURCE" or "PATH: own".
func readSources(file string) (sources, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	found := sources{}
	var owners []string
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		wrong := func(what string) error { return fmt.Errorf("%s:%d: %s: %q", file, number, what, line) }
		switch path, list, ok := strings.Cut(strings.TrimSpace(line), ":"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			owners = strings.Split(line, ", ")
			for _, owner := range owners {
				if found[owner] != nil {
					return nil, wrong("named twice")
				}
				found[owner] = map[string]citation{}
			}
		case !ok || len(owners) == 0 || found[owners[0]][path] != nil:
			return nil, wrong("neither an owner nor a new \"PATH: SOURCES\" below one")
		default:
			c := citation{}
			for _, source := range strings.Split(list, ",") {
				source = strings.TrimSpace(source)
				if source == "own" {
					continue
				}
				if !sourceForm.MatchString(source) {
					return nil, wrong(fmt.Sprintf("%q is neither a section, nor an assumption, nor \"own\"", source))
				}
				c = append(c, source)
			}
			for _, owner := range owners {
				found[owner][path] = c
			}
		}
	}
	return found, nil
}

// joined makes one error of several problems; nil of none.
func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}
