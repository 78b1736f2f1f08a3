// Writes .env for compose.yaml with new secrets and keeps existing values. Runs on any version of Node, without node_modules.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const file = resolve(process.argv[2] ?? '.env');
const services = readdirSync(new URL('../../services', import.meta.url)).map((name) => name.toUpperCase());

// nats-server parses a value that looks like a number as one, so passwords start with a letter.
const password = () => `p${randomBytes(24).toString('hex')}`;
const keyring = () => `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64url')}`;

const wanted = {
  PUBLIC_URL: () => 'http://localhost:8080',
  CONTEXT_KEYS: keyring,
  CURSOR_KEYS: keyring,
  LINK_KEYS: keyring,
  WEBHOOK_KEYS: keyring,
  MONGODB_REPLICA_KEY: () => randomBytes(64).toString('base64url').replaceAll(/[-_]/g, 'x'),
  ROOT_MONGODB_PASSWORD: password,
  OPERATOR_NATS_PASSWORD: password,
  ...Object.fromEntries(
    services.flatMap((name) => [
      [`${name}_MONGODB_PASSWORD`, password],
      [`${name}_NATS_PASSWORD`, password],
    ]),
  ),
};

const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
const names = new Set(kept.split('\n').map((line) => line.split('=', 1)[0]));
const missing = Object.entries(wanted).filter(([name]) => !names.has(name));
const added = missing.map(([name, make]) => `${name}=${make()}\n`).join('');
if (added !== '') writeFileSync(file, kept + (kept === '' || kept.endsWith('\n') ? '' : '\n') + added, { mode: 0o600 });
console.log(added === '' ? `${file} is complete.` : `Wrote ${missing.length} variables to ${file}.`);
