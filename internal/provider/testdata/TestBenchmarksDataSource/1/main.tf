data "assess_benchmarks" "all" {
  assessment_id = "asm-lumen"
}

data "assess_benchmarks" "french" {
  assessment_id = "asm-lumen"
  locale        = "fr-FR"
}

data "assess_benchmarks" "danish" {
  assessment_id = "asm-lumen"
  locale        = "da-DK"
}

data "assess_benchmarks" "elsewhere" {
  assessment_id = "asm-facet"
}
