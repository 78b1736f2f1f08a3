import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './files.ts';

const names = ['CONTEXT_KEYS', 'CURSOR_KEYS', 'LINK_KEYS', 'WEBHOOK_KEYS'] as const;

type Secrets = Partial<Record<string, string>>;

/** The signing keys of the services, created once per data folder. Call it with the folder's lock held. */
export function keepSecrets(dir: string): Record<string, string> {
  const path = join(dir, 'secrets.json');
  const kept = readJson(path, isSecrets) ?? {};
  const secrets = Object.fromEntries(names.map((name) => [name, kept[name] ?? newKey()]));
  if (names.some((name) => kept[name] === undefined)) writeJson(path, { ...kept, ...secrets }, 0o600);
  return secrets;
}

/** `kid:secret`. Signatures contain the kid, so that a new key can sign while this one still verifies. */
const newKey = () => `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64url')}`;

function isSecrets(value: unknown): value is Secrets {
  return typeof value === 'object' && value !== null && Object.values(value).every((secret) => typeof secret === 'string');
}
