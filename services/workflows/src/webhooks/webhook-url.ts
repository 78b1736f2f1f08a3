import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The other ports below 1024 belong to other protocols than HTTP, which a crafted request could speak to. */
const allowedLowPorts = new Set(['', '80', '443']);

const localName = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/i;

type Permission = { allowPrivate?: boolean };

/** Why a webhook may not go to this URL, as far as the URL alone tells; names are checked again when they are resolved. */
export function webhookUrlProblem(text: string, { allowPrivate = false }: Permission = {}): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'expected an http:// or https:// URL';
  if (url.username || url.password) return 'a URL with a user name or password is not taken; use a header';
  if (allowPrivate) return undefined;
  if (!allowedLowPorts.has(url.port) && Number(url.port) < 1_024) return 'a webhook goes to port 80, 443 or one from 1024 on';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) ? !isPublicAddress(host) : localName.test(host) || !host.includes('.');
  return isPrivate ? `${host} is not a public address; webhooks go to the public internet only` : undefined;
}
