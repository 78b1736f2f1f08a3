import { FormConfirmationRequested } from '@mp/contracts/events/contacts';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/service-parts';
import { writtenEvents } from '@mp/test-kit/written-events';

type Headers = Record<string, string>;

let networks = 0;

/** A visitor from a network of its own, as the gateway forwards its requests. */
export function aVisitor(app: Server) {
  networks += 1;
  const own = { 'x-forwarded-for': `198.51.${(networks >> 8) & 255}.${networks & 255}`, 'user-agent': 'Firefox', host: 'forms.example' };
  const responseOf = ({ statusCode, headers, payload }: Awaited<ReturnType<Server['inject']>>) => {
    const body = payload.startsWith('{') ? JSON.parse(payload) : undefined;
    return { status: statusCode, headers, text: payload, data: body?.data, error: body?.error };
  };
  return {
    get: async (url: string, headers: Headers = {}) =>
      responseOf(await app.inject({ method: 'GET', url, headers: { ...own, ...headers } })),
    /** As a page with JavaScript. */
    submit: async (formId: string, payload: object, headers: Headers = {}) =>
      responseOf(await app.inject({ method: 'POST', url: `/f/${formId}/submissions`, headers: { ...own, ...headers }, payload })),
    /** As a page without JavaScript. */
    post: async (url: string, fields: Record<string, string> | [string, string][] = [], headers: Headers = {}) =>
      responseOf(
        await app.inject({
          method: 'POST',
          url,
          headers: { ...own, 'content-type': 'application/x-www-form-urlencoded', ...headers },
          payload: new URLSearchParams(fields).toString(),
        }),
      ),
  };
}

const stampIn = (html: string) => /name="_stamp" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** Sends a form within a second of its page. A busy machine may need longer than a person, and then opens another form. */
export async function fillInQuickly<Opened extends { id: string }>(
  app: Server,
  open: () => Promise<Opened>,
  fields: Record<string, string>,
) {
  for (;;) {
    const opened = await open();
    const visitor = aVisitor(app);
    const began = Date.now();
    const { text } = await visitor.get(`/f/${opened.id}`);
    const reply = await visitor.post(`/f/${opened.id}`, { ...fields, _stamp: stampIn(text) });
    if (Date.now() - began < 900) return { ...opened, reply, hasStamp: stampIn(reply.text) !== '' };
  }
}

/** The confirmation emails that were requested for an account, in order. */
export async function confirmations(parts: Pick<Parts, 'mongo'>, accountId: AccountId) {
  const rows = await writtenEvents(parts.mongo.db, { accountId, subject: FormConfirmationRequested.subject });
  return rows.map(({ envelope }) => FormConfirmationRequested.data.parse(envelope.data));
}
