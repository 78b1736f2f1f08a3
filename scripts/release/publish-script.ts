export type Prepared = {
  version: string;
  /** The registry and prefix of image names. */
  images: string;
  services: readonly string[];
  /** npm packages, with their own names and versions. */
  packages: readonly { name: string; version: string; file: string }[];
  wheel: string | undefined;
  chart: string | undefined;
  /** What else belongs to the release: the SBOM and the checksums. */
  documents: readonly string[];
};

/**
 * Publishes everything; a person or a workflow runs it in the repository. It stops unless the checkout is clean and at the commit of
 * the version, and can be run again after it failed: what is already published is skipped or replaced by an identical copy.
 */
export function publishScript({ version, images, services, packages, wheel, chart, documents }: Prepared): string {
  const attached = [...documents, 'images.txt', ...packages.map(({ file }) => file), wheel, chart].filter((file) => file !== undefined);
  return `#!/usr/bin/env bash
set -euo pipefail
release=$(cd "$(dirname "$0")" && pwd)
cd "$(git rev-parse --show-toplevel)"
PATH=$PATH:\${XDG_CACHE_HOME:-$HOME/.cache}/marketing-platform/k8s-tools

stop() { echo "$1" >&2; exit 1; }
publish() { [ -n "$(npm view "$1" version 2> /dev/null || true)" ] || npm publish "$release/$2" --access public; }
push() {
  docker push "${images}/$1:${version}"
  docker inspect --format '{{join .RepoDigests "\\n"}}' "${images}/$1:${version}" | grep "^${images}/$1@" | tee -a "$release/images.txt"
}

[ -z "$(git status --porcelain)" ] || stop 'Nothing was published: commit or remove what "git status" shows.'
[ "$(git show HEAD:package.json | node -p 'JSON.parse(fs.readFileSync(0)).version')" = ${version} ] ||
  stop 'Nothing was published: this commit does not have version ${version}. Run "npm run release -- --next ${version}", and commit what it sets.'
git rev-parse -q --verify refs/tags/v${version} > /dev/null || git tag v${version}
[ "$(git rev-parse 'v${version}^{commit}')" = "$(git rev-parse HEAD)" ] || stop 'Nothing was published: v${version} is another commit.'
git push origin v${version}

${packages.map(({ name, version, file }) => `publish ${name}@${version} ${file}`).join('\n')}
${wheel === undefined ? '' : `python3 -m twine upload --skip-existing "$release/${wheel}"\n`}
IMAGE_PREFIX=${images} IMAGE_TAG=${version} deploy/docker/build-images.sh
: > "$release/images.txt"
${services.map((service) => `push ${service}`).join('\n')}
${chart === undefined ? '' : `helm push "$release/${chart}" oci://${images}/charts\n`}
command -v gh > /dev/null || { echo "Published. gh is not installed, so attach the files in $release to a release of v${version}."; exit; }
gh release view v${version} > /dev/null 2>&1 || gh release create v${version} --verify-tag --title ${version} --notes-file "$release/release-notes.md"
gh release upload v${version} --clobber ${attached.map((file) => `"$release/${file}"`).join(' ')}
`;
}
