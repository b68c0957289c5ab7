#!/usr/bin/env bash
# Makes sure that Docker has the public images which this repository uses. One that is not there is pulled; where no
# registry can be reached, one of the same name is built from Debian's packages, and said to be. That takes root,
# debootstrap, and apt sources of Debian; what was built is kept for a week in the user's cache.
set -euo pipefail

suite=bookworm
debian=debian:$suite-slim
node=node:26-$suite-slim
postgres=postgres:15
# The name under which the tests look for it. It is never pulled, so that it says what PostgreSQL the tests use.
postgres_of_tests=postgres:15-local

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$here/../..
own_certificates=/usr/local/share/ca-certificates
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chapter-membership-service/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

# Runs a command that has much to say, and lets it say so only if it fails.
quietly() {
  "$@" > "$work/log" 2>&1 && return 0
  tail -n 15 "$work/log" >&2
  return 1
}

# Where the machine gets a suite's packages from: the first address among its apt sources.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' "Label: $1" | head -n 1
}

build_debian() {
  [ "$(id -u)" -eq 0 ] || fail "Only root can build $debian."
  command -v debootstrap > /dev/null || fail "Without debootstrap $debian cannot be built."
  local main security root=$work/root
  main=$(mirror Debian) security=$(mirror Debian-Security)
  [ -n "$main" ] || fail "No apt source here is Debian's, so $debian cannot be built."

  quietly debootstrap --variant=minbase "$suite" "$root" "$main"
  {
    echo "deb $main $suite main"
    echo "deb $main $suite-updates main"
    if [ -n "$security" ]; then echo "deb $security $suite-security main"; fi
  } > "$root/etc/apt/sources.list"
  printf 'path-exclude=/usr/share/%s/*\n' doc info locale man > "$root/etc/dpkg/dpkg.cfg.d/slim"
  # Installing a package starts no daemon.
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  if [ -d "$own_certificates" ]; then cp -RL "$own_certificates" "$root/usr/local/share/"; fi
  rm -rf "$root"/usr/share/{doc,info,locale,man}/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
    "$root"/var/log/* "$root"/etc/{hostname,resolv.conf}
  tar -C "$root" --numeric-owner -c . | docker import -c 'CMD ["bash"]' - "$debian" > /dev/null
  rm -rf "$root"
}

# The host's network, because that is the one which is known to reach the packages.
build() { quietly docker build --network host --tag "$1" "$2"; }

build_postgres() { build "$postgres" "$here/postgres"; }

build_node() {
  local pinned=$checkout/node_modules/.bin/node npm
  [ -x "$pinned" ] || pinned=$(command -v node) || fail "Without Node here $node cannot be built."
  npm=$(npm root --global 2> /dev/null)/npm
  [ -d "$npm" ] || fail "Without npm here $node cannot be built."
  cp -R "$here/node" "$work/node"
  cp -L "$pinned" "$work/node/node"
  cp -RL "$npm" "$work/node/npm"
  build "$node" "$work/node"
}

# What the images are made from, as far as it can be seen without making them.
digest() {
  {
    cat "$here/public-images.sh" "$here"/*/*
    mirror Debian
    if [ -d "$own_certificates" ]; then find -L "$own_certificates" -type f -exec cat {} +; fi
    sha256sum "$checkout/package.json"
  } | sha256sum | cut -c 1-16
}

# An image that is built here, or was built here in the last days.
stand_in() {
  local image=$1 make=$2 kept
  command -v apt-get > /dev/null || fail "$image cannot be pulled, and without apt it cannot be built."
  if [ -z "$(mirror Debian)" ] && [ "$(id -u)" -eq 0 ]; then quietly apt-get update -qq; fi
  kept=$cache/$(digest)/${image//:/-}.tar.gz
  if [ -n "$(find "$kept" -mtime -7 2> /dev/null)" ] && quietly docker load --input "$kept"; then
    echo "$image cannot be pulled; what was built of Debian's packages earlier stands in for it."
    return 0
  fi
  "$make"
  echo "$image cannot be pulled; what was built of Debian's packages now stands in for it."
  # What others than the present state of this repository and machine led to.
  find "$cache" -mindepth 1 -maxdepth 1 ! -path "${kept%/*}" -exec rm -rf {} + 2> /dev/null || true
  mkdir -p "${kept%/*}"
  docker save "$image" | gzip -1 > "$work/kept"
  mv "$work/kept" "$kept"
}

ensure() {
  if docker image inspect "$1" > /dev/null 2>&1; then
    echo "$1 is there."
  elif timeout 120 docker pull --quiet "$1" > "$work/log" 2>&1; then
    echo "$1 has been pulled."
  else
    stand_in "$@"
  fi
}

docker info > /dev/null 2>&1 || fail 'No Docker daemon answers.'
ensure "$debian" build_debian
ensure "$node" build_node
ensure "$postgres" build_postgres
docker tag "$postgres" "$postgres_of_tests"
