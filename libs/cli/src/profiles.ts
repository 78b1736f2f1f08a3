import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { NotLoggedInError, UsageError } from './usage-error.ts';
import { writePrivately } from './write-privately.ts';

const Profile = z.object({
  url: z.url(),
  key: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  /** Only after a login by browser. */
  refresh_token: z.string().optional(),
  access_token: z.string().optional(),
  access_until: z.number().optional(),
});
export type Profile = z.infer<typeof Profile>;

const Config = z.object({ current: z.string().default('default'), profiles: z.record(z.string(), Profile).default({}) });
type Config = z.infer<typeof Config>;

type Env = Record<string, string | undefined>;

/** `$XDG_CONFIG_HOME/marketing-platform/config.json`, and the usual folder on Windows. */
export function configPath(env: Env = process.env): string {
  const folder = env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config');
  return join(folder, 'marketing-platform', 'config.json');
}

export async function readConfig(path = configPath()): Promise<Config> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return Config.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${path} is not valid. Correct it, or delete it and run "mp login" again.`);
  }
}

/** Only the user can read the file, at every moment: it contains keys. */
export async function writeConfig(config: Config, path = configPath()): Promise<void> {
  await writePrivately(path, `${JSON.stringify(config, null, 2)}\n`);
}

/** The URL of a platform; the error names where it comes from. */
export function checkedUrl(source: string, url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new UsageError(`${source} must be the URL of your platform, such as https://marketing.example.com, not "${url}".`);
}

/** The requested profile, that of `MP_PROFILE`, or the current one. `MP_API_KEY` and `MP_BASE_URL` override its values. */
export async function currentProfile(
  name: string | undefined,
  env: Env = process.env,
  path = configPath(env),
): Promise<Profile & { name: string }> {
  const config = await readConfig(path);
  const wanted = name ?? env.MP_PROFILE;
  const named = wanted ?? config.current;
  const profile = config.profiles[named];
  if (wanted !== undefined && !profile) {
    const known = Object.keys(config.profiles).join(', ') || 'none';
    throw new UsageError(`There is no profile "${wanted}". Profiles: ${known}. Run: mp login --profile ${wanted}`);
  }
  const url = env.MP_BASE_URL === undefined ? profile?.url : checkedUrl('MP_BASE_URL', env.MP_BASE_URL);
  if (url === undefined) throw new NotLoggedInError('Not logged in. Run "mp login", or set MP_BASE_URL and MP_API_KEY.');
  const key = env.MP_API_KEY ?? profile?.key;
  return { ...profile, url, ...(key !== undefined && { key }), name: named };
}
