#!/usr/bin/env bash
# Puts a manifest of a release into a repository of manifests: scripts/push_manifest.sh REPOSITORY FILE PATH
#
# GIT_TOKEN, where it is set, is the password for the repository: it is neither in an argument nor in the clone.
# PATH is where the file goes in the repository, such as Formula/pdblens.rb in a Homebrew tap. Nothing is pushed if it is there already.
set -euo pipefail
repository=$1 file=$(realpath "$2") path=$3
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml" | head -n 1)
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git() {
  command git -c 'credential.helper=!f() { [ -z "$GIT_TOKEN" ] || printf "username=x-access-token\npassword=%s\n" "$GIT_TOKEN"; }; f' "$@"
}
export GIT_TOKEN=${GIT_TOKEN:-}
git clone --quiet --depth 1 "$repository" "$clone"
mkdir -p "$(dirname "$clone/$path")"
cp "$file" "$clone/$path"
cd "$clone"
git add "$path"
if git diff --cached --quiet; then
  echo "$path is there already"
  exit 0
fi
git -c user.name=pdblens -c user.email=pdblens@users.noreply.github.com commit --quiet -m "pdblens $version"
git push --quiet origin HEAD
