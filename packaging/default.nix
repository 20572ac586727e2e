{ pkgs ? import <nixpkgs> { } }:

let
  version = "@version@";
  archives = {
    x86_64-linux = {
      target = "x86_64-unknown-linux-musl";
      sha256 = "@sha256:doiscan-@version@-x86_64-unknown-linux-musl.tar.gz@";
    };
    aarch64-linux = {
      target = "aarch64-unknown-linux-musl";
      sha256 = "@sha256:doiscan-@version@-aarch64-unknown-linux-musl.tar.gz@";
    };
  };
  archive = archives.${pkgs.stdenv.hostPlatform.system};
in
pkgs.stdenvNoCC.mkDerivation {
  pname = "doiscan";
  inherit version;
  src = pkgs.fetchurl {
    url = "@url@/doiscan-${version}-${archive.target}.tar.gz";
    inherit (archive) sha256;
  };
  nativeBuildInputs = [ pkgs.installShellFiles ];
  installPhase = ''
    install -D doiscan -t $out/bin
    installManPage man/*.1
    installShellCompletion completions/doiscan.bash completions/doiscan.fish completions/_doiscan
  '';
  doInstallCheck = true;
  installCheckPhase = ''
    test "$(echo 'see doi:10.1000/182.' | $out/bin/doiscan scan --quiet -)" = 10.1000/182
  '';
  meta = {
    description = "@summary@";
    homepage = "@home@";
    license = with pkgs.lib.licenses; [ mit asl20 ];
    platforms = builtins.attrNames archives;
    mainProgram = "doiscan";
  };
}
