import { ApiError, MarketingPlatform } from '@marketing-platform/sdk';

// app/api/signup/route.ts of a Next.js project, or the handler of any server that speaks Request and Response.
const mp = new MarketingPlatform({
  apiKey: process.env.MP_API_KEY ?? '',
  baseUrl: process.env.MP_BASE_URL ?? 'http://localhost:8080',
});

// Anybody can type in any address, and this subscribes it at once, even one that had unsubscribed. Use it where the person is known to own
// the address; otherwise submit a form of the platform from here, whose double opt-in asks the owner: see the guide.
const consentText = 'Yes, send me the newsletter once a month.';

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData();
  const textOf = (name: string) => String(form.get(name) ?? '').trim();
  try {
    const first_name = textOf('first_name');
    // Finds the contact by its address or creates it, so that a second sign-up is not an error. What is left out stays as it is. The
    // account's `default_consent` is `pending`, so a new contact is not subscribed by this.
    const known = { email: textOf('email'), ...(first_name !== '' && { first_name }) };
    const contact = await mp.contacts.upsert({ ...known, source: 'signup' }, { match_on: 'email' });
    if (form.has('newsletter'))
      await mp.contacts.changeConsent(contact.id, {
        email: {
          status: 'subscribed',
          method: 'form',
          evidence: { text: consentText, source: new URL(request.url).pathname, user_agent: request.headers.get('user-agent') ?? '' },
        },
      });
    // The same response for new and known addresses: nobody learns who is a customer.
    return Response.json({ ok: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400)
      return Response.json({ ok: false, problems: error.details ?? [] }, { status: 400 });
    throw error;
  }
}
