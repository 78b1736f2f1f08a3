import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import { z } from 'zod';
import type { RecordFeedback } from '../feedback/record-feedback.ts';
import { readMailgun } from './mailgun.ts';
import { readPostmark } from './postmark.ts';
import type { ProviderKind } from './provider.ts';
import type { ProvidersStore } from './providers-store.ts';
import { readSendgrid } from './sendgrid.ts';
import { createReadSes, type GetFromSns } from './ses.ts';
import type { ReadWebhook } from './webhook.ts';
import { readWebhook } from './webhook-token.ts';

type Deps = {
  linkKeys: Keyring;
  providers: Pick<ProvidersStore, 'keysOf'>;
  feedback: Pick<RecordFeedback, 'record'>;
  getFromSns: GetFromSns;
};

const Params = z.object({ token: z.string() });
const maxBytes = 1_048_576;

/** The reports that one webhook may send to this process: more than an account's emails cause, and than a request can contain. */
export const feedbackRate = { perSecond: 500, burst: 5_000 } as const;

/** The number of reports of one webhook that are recorded at the same time. */
const atOnce = 10;

/** `POST /t/feedback/:token`: the webhooks of email providers. Repeated reports get 200 and change nothing. */
export function receiveFeedback(app: Server, { linkKeys, providers, feedback, getFromSns }: Deps) {
  const rates = createTokenBuckets({ ...feedbackRate, max: 10_000 });

  function checkRate(providerId: string, reports: number) {
    const retryAfter = rates.take(providerId, reports);
    if (retryAfter === 0) return;
    const message = `This webhook accepts ${feedbackRate.perSecond} reports per second; send these again later.`;
    throw new ApiError('SERVICE_UNAVAILABLE', message, { retryAfter });
  }

  const readers: Record<ProviderKind, ReadWebhook> = {
    ses: createReadSes(async (url) => {
      try {
        return await getFromSns(url);
      } catch (error) {
        throw new ApiError('SERVICE_UNAVAILABLE', 'Amazon SNS is unavailable; send the report again.', { retryAfter: 30, cause: error });
      }
    }),
    sendgrid: readSendgrid,
    postmark: readPostmark,
    mailgun: readMailgun,
  };

  // Only this route reads the bytes of its body, which are signed.
  void app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) => done(null, body));
    webhooks.post('/t/feedback/:token', { schema: { hide: true, params: Params, querystring: z.object({}) } }, async (request) => {
      const named = readWebhook(linkKeys, Params.parse(request.params).token);
      if (named) checkRate(named.providerId, 1);
      const keys = named && (await providers.keysOf(named.accountId, named.providerId));
      if (!keys) throw notFound();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const reports = await readers[keys.kind]({ body, headers: request.headers, keys, now: new Date() });
      checkRate(named.providerId, Math.max(0, reports.length - 1));
      for (let done = 0; done < reports.length; done += atOnce)
        await Promise.all(reports.slice(done, done + atOnce).map((report) => feedback.record(named.accountId, report, request.id)));
      return { success: true, data: { reports: reports.length } };
    });
  });
}
