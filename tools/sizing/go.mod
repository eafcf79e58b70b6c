module github.com/assessascode/terraform-provider-assess/tools/sizing

go 1.26.0
