import { Resource } from './client.ts';
import type { WebhookBatch, WebhookEvent } from './webhook-event.ts';
import { type ListenOptions, listen } from './webhook-stream.ts';
import { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhook-verification.ts';

/** What `mp.webhooks` has besides the operations of the API. */
export class WebhookResource extends Resource {
  /**
   * Verifies the signature of a webhook and returns its event. Throws a `WebhookVerificationError` otherwise.
   *
   * `body` is the raw body. Pass several secrets while you rotate them.
   */
  verify(
    body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    return verifyWebhook(body, headers, secret, options);
  }

  /** The events of a request to a webhook with `batch`. Verifies the signature as `verify` does, and also takes a single event. */
  async verifyBatch(...request: Parameters<WebhookResource['verify']>): Promise<WebhookEvent[]> {
    const body = await verifyWebhook<WebhookEvent | WebhookBatch>(...request);
    return body.type === 'batch' ? body.events : [body];
  }

  /**
   * The events of the account as they happen, without a public URL: `for await (const event of mp.webhooks.listen())`. It
   * reconnects, and then continues with every event since. Throws a `ConflictError` after a minute without a connection.
   */
  listen(options?: ListenOptions): AsyncGenerator<WebhookEvent, void, undefined> {
    return listen(this.client, options);
  }
}
