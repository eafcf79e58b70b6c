module github.com/assessascode/terraform-provider-assess/tools/modules

go 1.26.8

toolchain go1.26.11

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/google/licensecheck v0.3.1
	golang.org/x/mod v0.42.0
)
