class Gemtrail < Formula
  desc "Find, keep and search Gemini CLI sessions"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  # @ARCHIVES@

  def install
    bin.install "gemtrail"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/gemtrail.bash" => "gemtrail"
    fish_completion.install "completions/gemtrail.fish"
    zsh_completion.install "completions/_gemtrail"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gemtrail --version")
  end
end
