import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Change = { file: string; text: string };

/** It has releases of its own. */
const snippet = 'libs/snippet';

/** Files that name the version of the platform, besides the manifests of its packages and their lockfile. */
const files = [
  'libs/cli/src/version.ts',
  'libs/sdk/src/client.ts',
  'libs/sdk-python/pyproject.toml',
  'libs/sdk-python/src/marketing_platform/request.py',
  'deploy/k8s/marketing-platform/Chart.yaml',
  'docs/guides/versions.md',
];
const places =
  /^( {2}"version": "|export const (?:version|sdkVersion) = '|version = "|VERSION = "|(?:version|appVersion): |mp --version\n```\n\n```text\n)\d+\.\d+\.\d+/gm;

export const currentVersion = (root: string): string => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** A release adds, so it is the next minor unless the operator says otherwise. */
export function nextMinor(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}

/** The files of the repository as they are with this version. */
export function withVersion(root: string, version: string): Change[] {
  const manifests = globSync('{.,dashboard,libs/*,services/*}/package.json', { cwd: root }).filter((file) => !file.startsWith(snippet));
  const changes = [...manifests, ...files].map((file) => {
    const before = readFileSync(join(root, file), 'utf8');
    return { file, text: before.replaceAll(places, (_, start: string) => `${start}${version}`) };
  });
  return [...changes, lockfile(root, version)];
}

function lockfile(root: string, version: string): Change {
  const file = 'package-lock.json';
  const lock = JSON.parse(readFileSync(join(root, file), 'utf8'));
  const ours = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/') && path !== snippet);
  for (const entry of [lock, ...ours.map((path) => lock.packages[path])]) entry.version = version;
  return { file, text: `${JSON.stringify(lock, null, 2)}\n` };
}
