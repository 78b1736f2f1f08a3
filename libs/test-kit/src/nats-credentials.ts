import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;
type Permissions = { publish: readonly string[]; subscribe: readonly string[] };

const { createOperator, createAccount, createUser } = nkeys;

/** A claim of NATS as a signed JWT. */
function jwtOf(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { jti: name, iat: Math.floor(Date.now() / 1_000), iss: issuer.getPublicKey(), name, sub: subject.getPublicKey() };
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ ...claims, nats: { ...nats, version: 2 } })}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

const unlimited = { subs: -1, data: -1, payload: -1 };

/** An operator with an account for the platform, as `nsc` creates them. A signing key of the account has the permissions of each role. */
export function createNatsOperator(roles: Record<string, Permissions> = {}) {
  const [operator, account, system] = [createOperator(), createAccount(), createAccount()];
  const keys = new Map(Object.keys(roles).map((role) => [role, createAccount()]));
  const scopes = Object.entries(roles).map(([role, { publish, subscribe }]) => ({
    ...{ kind: 'user_scope', key: keys.get(role)?.getPublicKey(), role },
    template: { ...unlimited, pub: { allow: publish }, sub: { allow: subscribe }, resp: { max: 1, ttl: 0 } },
  }));
  const accountLimits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const jetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accountJwt = (subject: KeyPair, name: string, claims: object) => jwtOf(operator, subject, name, { type: 'account', ...claims });

  return {
    /** For the configuration of nats-server. */
    config: `operator: ${jwtOf(operator, operator, 'operator', { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${system.getPublicKey()}: ${accountJwt(system, 'system', { limits: accountLimits })}
  ${account.getPublicKey()}: ${accountJwt(account, 'platform', { limits: { ...accountLimits, ...jetStream }, signing_keys: scopes })}
}
`,
    /** The content of a credentials file: with the permissions of the role of this name, or of a user that may do everything. */
    credentials(name: string): string {
      const user = createUser();
      const key = keys.get(name);
      const claims = key ? { issuer_account: account.getPublicKey() } : { ...unlimited, pub: {}, sub: {} };
      const jwt = jwtOf(key ?? account, user, name, { type: 'user', ...claims });
      const block = (kind: string, text: string) => `-----BEGIN ${kind}-----\n${text}\n------END ${kind}------\n`;
      return `${block('NATS USER JWT', jwt)}\n${block('USER NKEY SEED', Buffer.from(user.getSeed()).toString())}`;
    },
  };
}
