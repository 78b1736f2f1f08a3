#!/usr/bin/env bash
# Builds the base images of deploy/docker/Dockerfile, and small images of the other servers in compose.yaml, from Debian
# packages and the binaries that libs/local-infra finds: for machines without access to a container registry.
#
#   deploy/docker/local-base-images.sh       builds mp-local/build, run, mongo, nats and mail
#   BUILD_BASE=mp-local/build RUN_BASE=mp-local/run deploy/docker/build-images.sh
#   export MONGO_IMAGE=mp-local/mongo NATS_IMAGE=mp-local/nats MAIL_IMAGE=mp-local/mail
#   docker compose up --wait
#
# Needs Debian or Ubuntu with debootstrap (root), a Docker engine, and `npm ci` done in this checkout.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suite=$(. /etc/os-release && echo "${VERSION_CODENAME}")
node=$(readlink -f node_modules/.bin/node)
npm=$(npm root --global)/npm

# The build base: a minimal Debian with the pinned Node, and npm, its registry and the certificates of this machine. The NATS
# image, which is based on it, needs wget for its health check.
make_build_base() {
  debootstrap --variant=minbase --include=ca-certificates,wget "$suite" "$work/build" >"$work/debootstrap.log" \
    || { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
  rm -rf "$work/build/var/cache/apt" "$work/build/var/lib/apt/lists"
  install -D "$node" "$work/build/usr/local/bin/node"
  mkdir -p "$work/build/usr/local/lib/node_modules"
  cp -rL "$npm" "$work/build/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/build/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/build/usr/local/bin/npx"
  cp /etc/ssl/certs/ca-certificates.crt "$work/build/etc/ssl/certs/ca-certificates.crt"
  printf 'cafile=/etc/ssl/certs/ca-certificates.crt\nregistry=%s\n' "$(npm config get registry)" >"$work/build/root/.npmrc"
  tar -C "$work/build" -c . | docker import --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' - mp-local/build >/dev/null
}

# A base without a shell: the C and C++ libraries, certificates, time zones, and a non-root user.
make_run_base() {
  local root=$work/run
  mkdir -p "$root" "$work/debs"
  (cd "$work/debs" && apt-get download -qq libc6 libgcc-s1 libstdc++6 ca-certificates tzdata netbase base-files)
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
  rm -rf "$root"/usr/share/{doc,man,locale,lintian,bug,common-licenses} "$root"/usr/lib/*/gconv
  mkdir -p "$root/tmp" "$root/etc/ssl/certs"
  chmod 1777 "$root/tmp"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
  tar -C "$root" -c . | docker import --change 'USER 65532:65532' - mp-local/run >/dev/null
}

# One server with its libraries on Debian: the parts of the official image that compose.yaml and the tests use.
make_server() { # name, program, port, start
  local name=$1 program=$2 port=$3 start=$4 root=$work/$1 binary
  binary=$(found "$program")
  cp -a "$work/build" "$root"
  rm -rf "$root"/usr/local/lib/node_modules "$root"/usr/local/bin/{node,npm,npx} "$root/root/.npmrc"
  install -D "$binary" "$root/usr/local/bin/$program"
  # The libraries on this machine that the binary is linked to.
  ldd "$binary" | awk '$3 ~ /^\// {print $3}' | while read -r library; do
    [ -e "$root$library" ] || install -D "$(readlink -f "$library")" "$root$library"
  done
  mkdir -p "$root/data/db" "$root/data/configdb"
  echo "mongodb:x:999:999::/data/db:/usr/sbin/nologin" >>"$root/etc/passwd"
  echo "mongodb:x:999:" >>"$root/etc/group"
  printf '#!/bin/bash\n%s\n' "$start" >"$root/usr/local/bin/docker-entrypoint.sh"
  chmod 755 "$root/usr/local/bin/docker-entrypoint.sh"
  tar -C "$root" -c . | docker import --change "EXPOSE $port" --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' \
    --change 'ENTRYPOINT ["/usr/local/bin/docker-entrypoint.sh"]' --change "CMD [\"$program\"]" - "mp-local/$name" >/dev/null
}

make_mail() {
  local root=$work/mail
  cp -a "$work/run" "$root"
  install -D "$node" "$root/usr/local/bin/node"
  install -m 644 deploy/docker/mail-stand-in.mjs "$root/mail-stand-in.mjs"
  tar -C "$root" -c . | docker import --change 'USER 65532:65532' --change 'EXPOSE 1025 8025' \
    --change 'ENTRYPOINT ["/usr/local/bin/node", "/mail-stand-in.mjs"]' - mp-local/mail >/dev/null
}

found() { # mongod | nats-server
  node_modules/.bin/node --input-type=module -e "
    import { findMongod } from '@mp/local-infra/find-mongod';
    import { findNatsServer } from '@mp/local-infra/find-nats';
    const find = { mongod: findMongod, 'nats-server': findNatsServer }['$1'];
    const { path } = await find('$work/found', (line) => console.error(line));
    console.log(path);"
}

echo 'mp-local/build'; make_build_base
echo 'mp-local/run'; make_run_base
mkdir -p "$work/found"
# Like the official images: flags alone are passed to the server, which does not run as root.
echo 'mp-local/mongo'
# shellcheck disable=SC2016
make_server mongo mongod 27017 '[ "${1:0:1}" = - ] && set -- mongod "$@"
if [ "$1" = mongod ]; then
  chown -R mongodb:mongodb /data
  exec setpriv --reuid=mongodb --regid=mongodb --clear-groups "$@" --bind_ip_all
fi
exec "$@"'
echo 'mp-local/nats'
# shellcheck disable=SC2016
make_server nats nats-server 4222 '[ "${1:0:1}" = - ] && set -- nats-server "$@"
exec "$@"'
echo 'mp-local/mail'; make_mail
docker images --format '{{.Repository}} {{.Size}}' | grep '^mp-local/'
