import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that name the version of the platform. The snippet has releases of its own. */
const files = [
  'package.json',
  'libs/sdk/package.json',
  'libs/cli/package.json',
  'libs/cli/src/version.ts',
  'libs/sdk/src/client.ts',
  'deploy/k8s/marketing-platform/Chart.yaml',
];
const places = /^( {2}"version": "|export const (?:version|sdkVersion) = '|(?:version|appVersion): )\d+\.\d+\.\d+/gm;

export const currentVersion = (root: string): string => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** A release adds, so it is the next minor unless the operator says otherwise. */
export function nextMinor(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}

/** The files of the repository as they are with this version. */
export const withVersion = (root: string, version: string): { file: string; text: string }[] =>
  files.map((file) => {
    const before = readFileSync(join(root, file), 'utf8');
    return { file, text: before.replaceAll(places, (_, start: string) => `${start}${version}`) };
  });
