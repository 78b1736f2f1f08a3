import { readFileSync } from 'node:fs';
import { type Authenticator, credsAuthenticator } from '@nats-io/transport-node';

/** Files with credentials and certificates for NATS. They are read again at each reconnect, so they can be replaced. */
export type NatsFiles = {
  /** A JWT and its seed, as `nsc` writes them. */
  NATS_CREDS_FILE?: string | undefined;
  NATS_CA_FILE?: string | undefined;
  NATS_CERT_FILE?: string | undefined;
  NATS_KEY_FILE?: string | undefined;
};

/** The servers and credentials for NATS; the client does not read credentials from a URL. */
export type NatsAddress = {
  servers: string[];
  user?: string;
  pass?: string;
  authenticator?: Authenticator;
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
};

/**
 * Parses one or more `nats://user:password@host:port`, comma-separated. The first credentials apply to all servers. Throws if
 * the credentials file cannot be read.
 */
export function natsAddress(text: string, files: NatsFiles = {}): NatsAddress {
  const urls = text.split(',').map((part) => new URL(part.trim()));
  const named = urls.find(({ username }) => username !== '');
  const { NATS_CREDS_FILE: credentials, NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile } = files;
  const tls = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  return {
    servers: urls.map(({ host }) => host),
    ...(named && { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }),
    ...(credentials && { authenticator: credentialsIn(credentials) }),
    ...((urls.some(({ protocol }) => protocol === 'tls:') || Object.keys(tls).length > 0) && { tls }),
  };
}

/** If the file cannot be read or parsed at a reconnect, its former content is used: the client gives up when this throws. */
function credentialsIn(file: string): Authenticator {
  let last = credsAuthenticator(readFileSync(file));
  return (nonce) => {
    try {
      const current = credsAuthenticator(readFileSync(file));
      const response = current(nonce);
      last = current;
      return response;
    } catch {
      return last(nonce);
    }
  };
}
