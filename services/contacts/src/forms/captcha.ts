import { invalid } from '@mp/contracts/errors';
import { type Keyring, mac } from '@mp/contracts/keyring';
import type { AccountId, FormId } from '@mp/ids';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import { type Challenge, createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** About a second of work for a phone; checking it costs the server next to nothing, because the key is signed. */
const difficulty = { algorithm: 'PBKDF2/SHA-256', cost: 1_000 } as const;
const counters = { min: 1_000, max: 3_000 };
const validMs = 10 * 60_000;

const Payload = z.object({
  challenge: z.object({
    parameters: z.object({
      algorithm: z.literal(difficulty.algorithm),
      nonce: z.string().max(200),
      salt: z.string().max(200),
      cost: z.literal(difficulty.cost),
      keyLength: z.literal(32),
      keyPrefix: z.string().max(200),
      keySignature: z.string().max(200),
      expiresAt: z.number(),
      data: z.object({ form: z.string().max(100) }),
    }),
    signature: z.string().max(200),
  }),
  solution: z.object({ counter: z.number().int().min(0).max(4_294_967_295), derivedKey: z.string().max(200), time: z.number().optional() }),
});

/** A solution that was used, until its challenge expires. */
type UsedDocument = { _id: string; account_id: AccountId; key: string | null; expires_at: Date };

export type CaptchasStore = ReturnType<typeof createCaptchasStore>;

export function createCaptchasStore(db: Db) {
  const used = db.collection<UsedDocument>('form_captchas');
  return {
    prepare: () =>
      prepareCollection(used, [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], db),

    /** Whether the solution is used for the first time, or again for the same submission. */
    async use(accountId: AccountId, signature: string, { key = null, expires }: { key?: string | null; expires: Date }): Promise<boolean> {
      try {
        await used.insertOne({ _id: `${accountId} ${signature}`, account_id: accountId, key, expires_at: expires });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const before = await used.findOne({ _id: `${accountId} ${signature}`, account_id: accountId });
        return key !== null && before?.key === key;
      }
    },
  };
}

const secretsOf = (key: Buffer) => ({
  hmacSignatureSecret: mac(key, 'form captcha').toString('hex'),
  hmacKeySignatureSecret: mac(key, 'form captcha key').toString('hex'),
});

function parsed(text: string): z.output<typeof Payload> | undefined {
  try {
    return Payload.safeParse(JSON.parse(Buffer.from(text, 'base64').toString())).data;
  } catch {
    return undefined;
  }
}

export type Captcha = ReturnType<typeof createCaptcha>;

/** The proof of work of ALTCHA's protocol: nothing leaves the platform, and no visitor has to read an image. */
export function createCaptcha({ captchas, linkKeys }: { captchas: Pick<CaptchasStore, 'use'>; linkKeys: Keyring }) {
  return {
    challenge(formId: FormId, now: Date): Promise<Challenge> {
      const key = linkKeys.keys.get(linkKeys.signing);
      if (!key) throw new Error('The keyring lacks its signing key.');
      const counter = randomInt(counters.min, counters.max);
      const expiresAt = new Date(now.getTime() + validMs);
      return createChallenge({ ...difficulty, ...secretsOf(key), counter, deriveKey, expiresAt, data: { form: formId } });
    },

    /** Throws VALIDATION_ERROR unless this is the solution of a challenge for the form, which was not used for another submission. */
    async require(
      solution: string | undefined,
      { accountId, formId, key }: { accountId: AccountId; formId: FormId; key: string | undefined },
    ) {
      const why = 'Solve the challenge of GET /f/<id>/challenge, and send the solution as captcha.';
      if (solution === undefined) throw invalid('/captcha', 'captcha_required', why);
      const payload = parsed(solution);
      if (!payload || payload.challenge.parameters.data.form !== formId) throw invalid('/captcha', 'captcha_invalid', why);
      const { challenge } = payload;
      const { counter, derivedKey, time = 0 } = payload.solution;
      const results = await Promise.all(
        [...linkKeys.keys.values()].map((one) =>
          verifySolution({ challenge, solution: { counter, derivedKey, time }, deriveKey, ...secretsOf(one) }),
        ),
      );
      if (!results.some(({ verified }) => verified)) throw invalid('/captcha', 'captcha_invalid', why);
      const expires = new Date(challenge.parameters.expiresAt * 1_000);
      if (!(await captchas.use(accountId, challenge.signature, { ...(key !== undefined && { key }), expires })))
        throw invalid('/captcha', 'captcha_used', 'This solution was used before; solve another challenge.');
    },
  };
}
