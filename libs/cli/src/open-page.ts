import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page in the user's browser, if there is one. */
export function openPage(url: string): void {
  const [command = 'xdg-open', ...words] = openers[process.platform] ?? [];
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
