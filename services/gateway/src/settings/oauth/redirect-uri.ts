import { z } from 'zod';

const loopback = ['127.0.0.1', '[::1]', 'localhost'];

const isOnThisDevice = ({ protocol, hostname }: URL) => protocol === 'http:' && loopback.includes(hostname);

/** A scheme that an installed application owns, because it contains a domain name reversed: `com.example.app:/callback`. */
const isPrivateScheme = ({ protocol }: URL) => /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(protocol);

function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isOnThisDevice(url) || isPrivateScheme(url);
}

/** Where an application receives authorization codes: over HTTPS, on the device itself, or by a scheme of its own (RFC 8252 §7). */
export const RedirectUri = z
  .string()
  .max(2_000)
  .refine(
    isRedirectUri,
    'expected an address with https://, http://127.0.0.1, http://[::1] or http://localhost, or a scheme such as com.example.app:/callback, without a fragment',
  );

/** Whether the address is one of those registered, character by character. Only the port on the device itself may differ (RFC 8252 §7.3). */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true;
  if (!isRedirectUri(redirectUri) || !isOnThisDevice(new URL(redirectUri))) return false;
  const withoutPort = (text: string) => Object.assign(new URL(text), { port: '' }).href;
  return registered.some((one) => isOnThisDevice(new URL(one)) && withoutPort(one) === withoutPort(redirectUri));
}

/** The redirect URI with the parameters of the response added. */
export function withParameters(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
