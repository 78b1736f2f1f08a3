import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache.ts';

/** Where `deploy/k8s/install-tools.sh` puts what it installs. */
export const toolsFolder = join(cacheFolder(), 'k8s-tools');

/** The programs without which tests are skipped. */
export const optionalPrograms = ['actionlint', 'fish', 'helm', 'kube-score', 'kubeconform', 'nsc', 'openssl', 'promtool', 'zsh'] as const;

/** Where a program or a file of the tools is; undefined if it is missing. */
export function pathOf(program: string): string | undefined {
  const folders = [toolsFolder, ...(process.env.PATH ?? '').split(delimiter)];
  // An installation that was interrupted leaves empty files.
  return folders.map((folder) => join(folder, program)).find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}
