# This configuration uses everything that the provider can configure, on the embedded
# service. To use the real service, remove sandbox {} and set ASSESS_BASE_URL,
# ASSESS_CLIENT_ID and ASSESS_API_KEY.

terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

provider "assess" {
  sandbox {}
}

# The data sources find positions and assessments by name.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_position" "controlling" {
  title = "Controller (m/w/d), Hamburg"
}

data "assess_assessment" "by_code" {
  for_each = toset(["QRT", "LMN", "NLV", "TRN", "WBN", "KST", "TLY"])
  code     = each.key
}

# They also find the options of an assessment by name.

data "assess_assessment_options" "backend" {
  for_each      = data.assess_assessment.by_code
  assessment_id = each.value.id
  locale        = data.assess_position.backend.locale
}

data "assess_skills_test" "by_title" {
  for_each      = toset(["Go Programming", "SQL Queries", "Linux Administration"])
  assessment_id = data.assess_assessment.by_code["WBN"].id
  title         = each.key
}

data "assess_benchmark" "finance" {
  assessment_id = data.assess_assessment.by_code["TLY"].id
  name          = "Finance"
  locale        = data.assess_position.controlling.locale
}

# The position of the engineer.

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["QRT"].id
  packages { select = "all" }
  benchmark { id = data.assess_assessment_options.backend["QRT"].benchmarks["Engineers"] }
}

resource "assess_position_assessment" "ability" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["LMN"].id
  benchmark { id = data.assess_assessment_options.backend["LMN"].benchmarks["Engineers"] }
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["NLV"].id
  profile { id = data.assess_assessment_options.backend["NLV"].profiles["Curious builders"] }
}

# Without a profile block, a supervisor completes the profile at profile_url.
resource "assess_position_assessment" "preferences" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["TRN"].id
}

# The organization cannot use the Go test yet, so the activation enables it. The
# position assessment refers to the activation, so it is attached after that.
resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.by_code["WBN"].id
  test_id       = data.assess_skills_test.by_title["Go Programming"].id
}

resource "assess_position_assessment" "skills" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["WBN"].id
  tests {
    ids = [
      assess_skills_test_activation.go.test_id,
      data.assess_skills_test.by_title["SQL Queries"].id,
      data.assess_skills_test.by_title["Linux Administration"].id,
    ]
  }
}

# The position of the controller has another locale. It has only the mandatory
# packages, and no benchmark.

resource "assess_position_assessment" "controlling_games" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["QRT"].id
  packages { ids = data.assess_assessment_options.backend["QRT"].mandatory_package_ids }
}

resource "assess_position_assessment" "controlling_numbers" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["TLY"].id
  benchmark { id = data.assess_benchmark.finance.id }
}

resource "assess_position_assessment" "controlling_reliability" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["KST"].id
}

output "configured" {
  description = "What each position has now."
  value = {
    (data.assess_position.backend.title) = {
      (data.assess_assessment.by_code["QRT"].name) = "${length(assess_position_assessment.games.packages.ids)} packages, benchmark ${assess_position_assessment.games.benchmark.id}"
      (data.assess_assessment.by_code["LMN"].name) = "benchmark ${assess_position_assessment.ability.benchmark.id}"
      (data.assess_assessment.by_code["NLV"].name) = "${assess_position_assessment.values.profile_status}: ${assess_position_assessment.values.profile.id}"
      (data.assess_assessment.by_code["TRN"].name) = assess_position_assessment.preferences.profile_status
      (data.assess_assessment.by_code["WBN"].name) = join(", ", assess_position_assessment.skills.tests.ids)
    }
    (data.assess_position.controlling.title) = {
      (data.assess_assessment.by_code["QRT"].name) = "${length(assess_position_assessment.controlling_games.packages.ids)} packages"
      (data.assess_assessment.by_code["TLY"].name) = "benchmark ${assess_position_assessment.controlling_numbers.benchmark.id}"
      (data.assess_assessment.by_code["KST"].name) = "as it is"
    }
  }
}

output "enabled" {
  description = "Skills tests that this configuration has enabled."
  value       = assess_skills_test_activation.go.title
}
