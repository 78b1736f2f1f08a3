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

/** An operator with an account for the platform, as `nsc` creates them. */
export function createNatsOperator() {
  const [operator, account, system] = [createOperator(), createAccount(), createAccount()];
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const accountLimits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const jetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accountJwt = (subject: KeyPair, name: string, limits: object) => jwtOf(operator, subject, name, { type: 'account', limits });

  return {
    /** For the configuration of nats-server. */
    config: `operator: ${jwtOf(operator, operator, 'operator', { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${system.getPublicKey()}: ${accountJwt(system, 'system', accountLimits)}
  ${account.getPublicKey()}: ${accountJwt(account, 'platform', { ...accountLimits, ...jetStream })}
}
`,
    /** The content of a credentials file for a user of the account; without permissions, one that may do everything. */
    credentials(name: string, permissions?: Permissions): string {
      const user = createUser();
      const allowed = permissions && {
        pub: { allow: permissions.publish },
        sub: { allow: permissions.subscribe },
        resp: { max: 1, ttl: 0 },
      };
      const jwt = jwtOf(account, user, name, { type: 'user', ...unlimited, pub: {}, sub: {}, ...allowed });
      const block = (kind: string, text: string) => `-----BEGIN ${kind}-----\n${text}\n------END ${kind}------\n`;
      return `${block('NATS USER JWT', jwt)}\n${block('USER NKEY SEED', Buffer.from(user.getSeed()).toString())}`;
    },
  };
}
