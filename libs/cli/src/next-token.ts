import { open, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { refresh } from './browser-login.ts';
import { configPath, readConfig, writeConfig } from './profiles.ts';
import { NotLoggedInError } from './usage-error.ts';

/** Longer than a refresh takes: a lock that is older was left by a process that has died. */
const staleMs = 60_000;

/** Runs this in one process at a time. */
async function exclusively<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const lock = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (lock) {
      await lock.close();
      return work().finally(() => rm(path, { force: true }));
    }
    const since = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > staleMs) await rm(path, { force: true });
    await setTimeout(50);
  }
}

/**
 * The access token of a profile after the one that was used. Processes take turns: a refresh token that two of them send ends the access,
 * because it could have been copied.
 */
export const nextToken = (name: string, used: string, path = configPath()): Promise<string> =>
  exclusively(`${path}.lock`, async () => {
    const config = await readConfig(path);
    const profile = config.profiles[name];
    if (profile?.client_id === undefined || profile.refresh_token === undefined)
      throw new NotLoggedInError(`The profile "${name}" has been removed. Run "mp login --browser".`);
    // Another process has refreshed it.
    if (profile.access_token !== undefined && profile.access_token !== used) return profile.access_token;
    const tokens = await refresh({ url: profile.url, clientId: profile.client_id }, profile.refresh_token);
    await writeConfig({ ...config, profiles: { ...config.profiles, [name]: { ...profile, ...tokens } } }, path);
    return tokens.access_token;
  });
