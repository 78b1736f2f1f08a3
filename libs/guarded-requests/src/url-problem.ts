import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Other ports below 1024 belong to other protocols, which a crafted request could attack. */
const allowedLowPorts = new Set(['', '80', '443']);

const localName = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/i;

type Permission = { allowPrivate?: boolean };

/** Why the URL is not allowed, judged by the URL alone; addresses are checked again when its name is resolved. */
export function urlProblem(text: string, { allowPrivate = false }: Permission = {}): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'expected an http:// or https:// URL';
  if (url.username || url.password) return 'the URL cannot contain a user name or password';
  if (allowPrivate) return undefined;
  if (!allowedLowPorts.has(url.port) && Number(url.port) < 1_024) return 'the port must be 80, 443, or 1024 or higher';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) ? !isPublicAddress(host) : localName.test(host) || !host.includes('.');
  return isPrivate ? `${host} is not a public address; only public addresses can be called` : undefined;
}
