module github.com/assessascode/terraform-provider-assess/tools/contract

go 1.26.8

toolchain go1.26.11

replace github.com/assessascode/terraform-provider-assess => ../..

require (
	github.com/assessascode/terraform-provider-assess v0.0.0-00010101000000-000000000000
	github.com/getkin/kin-openapi v0.153.0
	go.yaml.in/yaml/v4 v4.0.0
)

require (
	github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc // indirect
	github.com/go-openapi/jsonpointer v1.0.2 // indirect
	github.com/gorilla/mux v1.8.0 // indirect
	github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
