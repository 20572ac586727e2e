class Doiscan < Formula
  desc "Find every DOI in files of any size and format"
  homepage "@home@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@url@/doiscan-@version@-aarch64-apple-darwin.tar.gz"
      sha256 "@sha256:doiscan-@version@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@url@/doiscan-@version@-x86_64-apple-darwin.tar.gz"
      sha256 "@sha256:doiscan-@version@-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@url@/doiscan-@version@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@sha256:doiscan-@version@-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@url@/doiscan-@version@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@sha256:doiscan-@version@-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "doiscan"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/doiscan.bash" => "doiscan"
    zsh_completion.install "completions/_doiscan"
    fish_completion.install "completions/doiscan.fish"
  end

  test do
    assert_equal "10.1000/182\n", pipe_output("#{bin}/doiscan scan --quiet -", "see doi:10.1000/182.\n", 0)
  end
end
