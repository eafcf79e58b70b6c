module github.com/assessascode/terraform-provider-assess/tools/stutter

go 1.26.8

toolchain go1.26.11
