/** The servers and credentials for NATS; the client does not read credentials from a URL. */
export type NatsAddress = { servers: string[]; user?: string; pass?: string; tls?: Record<string, never> };

/** Parses one or more `nats://user:password@host:port`, comma-separated. The first credentials apply to all servers. */
export function natsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => new URL(part.trim()));
  const named = urls.find(({ username }) => username !== '');
  return {
    servers: urls.map(({ host }) => host),
    ...(named && { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}
