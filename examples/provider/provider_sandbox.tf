provider "assess" {
  sandbox {} # stores its data in assess-sandbox.json in the current folder
}
