import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { createServer } from '@mp/service-kit/create-server';
import { testParts } from '@mp/test-kit/test-parts';
import { sendgridKey, signedBySendgrid } from '../../../test/provider-fixtures.ts';
import { linkKeys } from '../../../test/setting.ts';
import { feedbackRate, receiveFeedback } from './receive-feedback.ts';
import { signWebhook } from './webhook-token.ts';

test('a webhook accepts a limited rate of reports, and none beyond, so that its provider sends them again', async (t) => {
  const app = createServer(await testParts(t, 'campaigns'));
  t.after(() => app.close());
  let recorded = 0;
  receiveFeedback(app, {
    linkKeys,
    providers: { keysOf: async () => ({ kind: 'sendgrid', topic_arn: null, public_key: sendgridKey, secret: null }) },
    feedback: {
      record: async () => {
        recorded += 1;
      },
    },
    getFromSns: async () => assert.fail('only Amazon SES uses it'),
  });
  const account = newId('account');
  const [flooded, other] = [newId('provider'), newId('provider')].map((id) => `/t/feedback/${signWebhook(linkKeys, account, id)}`);
  const report = (index: number) => ({
    ...{ event: 'delivered', timestamp: 1, sg_event_id: String(index) },
    'smtp-id': `<${newId('recipient').replace('_', '.')}@example.com>`,
  });
  const post = async (url = '', reports = 1) => {
    const { body, headers } = signedBySendgrid(
      new Date(),
      Array.from({ length: reports }, (_, index) => report(index)),
    );
    return app.inject({ method: 'POST', url, payload: body, headers });
  };
  const most = feedbackRate.burst;
  assert.equal((await post(flooded, most)).statusCode, 200);
  const rejected = await post(flooded, most);
  assert.deepEqual([rejected.statusCode, rejected.json().error?.code, recorded], [503, 'SERVICE_UNAVAILABLE', most]);
  assert.ok(Number(rejected.headers['retry-after']) >= 1);
  assert.equal((await post(other)).statusCode, 200, 'each webhook has its own limit');
});
