import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache.ts';

/** Where `deploy/k8s/install-tools.sh` puts what it installs. */
export const toolsFolder = join(cacheFolder(), 'k8s-tools');

/** The programs without which tests are skipped. */
export const optionalPrograms = [
  'actionlint',
  'chromium',
  'fish',
  'helm',
  'kube-score',
  'kubeconform',
  'nsc',
  'openssl',
  'promtool',
  'zsh',
] as const;

const namesOfChromium = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const chromiumElsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Where a program or a file of the tools is; undefined if it is missing. */
export function pathOf(program: string): string | undefined {
  if (program === 'chromium') return findChromium();
  const folders = [toolsFolder, ...(process.env.PATH ?? '').split(delimiter)];
  // An installation that was interrupted leaves empty files.
  return folders.map((folder) => join(folder, program)).find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** CHROMIUM_PATH, or a Chromium installed on this machine. */
function findChromium(): string | undefined {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => namesOfChromium.map((name) => join(folder, name)));
  return [...onPath, ...chromiumElsewhere].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
