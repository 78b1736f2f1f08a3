import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type Encodable = Parameters<typeof isoCBOR.encode>[0];
type Signed = { challenge: string; type: 'webauthn.create' | 'webauthn.get' };

const encoded = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** An authenticator in software: signs as a browser and a security key would. Tests change what they should not accept. */
export function createSoftwarePasskey({ origin = 'http://localhost:8080', rpId = 'localhost' } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  const state = { counter: 0, isVerifying: true, origin };

  function authenticatorData(attested: Uint8Array = new Uint8Array()) {
    const flags = 0x01 | (state.isVerifying ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(state.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested]);
  }

  const clientData = (signed: Signed) => Buffer.from(JSON.stringify({ ...signed, origin: state.origin, crossOrigin: false }));
  const named = { id: encoded(credentialId), rawId: encoded(credentialId), type: 'public-key' };

  return {
    state,
    id: named.id,
    create({ challenge }: { challenge: string }, attestation: Map<string, Encodable> = new Map()) {
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, isoCBOR.encode(key)]);
      const object = new Map<string, Encodable>([
        ['fmt', attestation.size > 0 ? 'packed' : 'none'],
        ['attStmt', attestation],
        ['authData', new Uint8Array(authenticatorData(attested))],
      ]);
      const attestationObject = encoded(isoCBOR.encode(object));
      return {
        ...named,
        response: { clientDataJSON: encoded(clientData({ challenge, type: 'webauthn.create' })), attestationObject, transports: ['usb'] },
      };
    },
    prove({ challenge }: { challenge: string }) {
      state.counter += 1;
      const data = authenticatorData();
      const client = clientData({ challenge, type: 'webauthn.get' });
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...named,
        response: { clientDataJSON: encoded(client), authenticatorData: encoded(data), signature: encoded(signature) },
      };
    },
  };
}
