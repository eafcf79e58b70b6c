provider "assess" {
  sandbox {} # remove this line to use the real service
}
