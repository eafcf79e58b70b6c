provider "assess" {
  sandbox {} # the embedded service stores its data in assess-sandbox.json
}
