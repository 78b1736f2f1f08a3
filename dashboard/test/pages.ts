import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Client } from '../../tests/client.ts';
import type { Demo } from './demo.ts';

/** The URL of every page in an account with demo data, by name. The name is also that of its screenshot. */
export async function pagesOf(client: Client, demo: Demo): Promise<Record<string, string>> {
  const read = async (path: string) => {
    const { status, data, body } = await client.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    return data;
  };
  const [run] = (await read(`/v2/workflows/${demo.welcome.id}/runs`)).items;
  const [recipient] = (await read(`/v2/campaigns/${demo.sent.id}/ledger`)).items;
  const [visitor] = (await read(`/v2/leadpulse/visitors?contact_id=${demo.ada.id}`)).items;
  const [member] = (await read(`/v2/segments/${demo.berlin.id}/contacts`)).items;
  const template = (await client.post('/v2/campaigns/templates', { name: `Plain ${Date.now()}`, subject: 'Hi', html: '<p>Hi</p>' })).data;
  const site = (await client.post('/v2/leadpulse/sites', { name: 'Shop', origins: ['https://shop.example.com'] })).data;
  for (const call of [
    { userId: 'ada', event: 'Order Completed' },
    { userId: {}, event: 'Order Completed' },
  ])
    await client.post('/v1/track', { ...call, messageId: 'order-1042', writeKey: client.key });
  const form = (
    await client.post('/v2/contacts/forms', {
      name: `Newsletter ${Date.now()}`,
      title: { en: 'Stay in touch' },
      fields: [
        { field: 'email', type: 'email', label: { en: 'Email' }, required: true },
        { field: 'attributes.plan', type: 'select', label: { en: 'Plan' }, options: [{ value: 'pro', label: { en: 'Pro' } }] },
      ],
      consents: [{ key: 'email', channel: 'email', text: { en: 'I would like to receive news by email.' } }],
      sender: { email: 'news@example.com' },
    })
  ).data;
  const webhook = (await client.post('/v2/webhooks', { url: 'https://hooks.example.com/platform', events: ['*'] })).data;
  const delivery = (await client.post(`/v2/webhooks/${webhook.id}/test`, { type: 'contact.created' })).data;
  return {
    webhook: `/settings/webhooks/${webhook.id}`,
    delivery: `/settings/webhooks/deliveries/${delivery.id}`,
    overview: '/',
    contacts: '/contacts',
    contact: `/contacts/${demo.ada.id}`,
    'contact-consent': `/contacts/${demo.ada.id}/consent`,
    'contact-edit': `/contacts/${demo.ada.id}/edit`,
    'contact-new': '/contacts/new',
    suppressions: '/contacts/suppressions',
    imports: '/contacts/imports',
    'import-new': '/contacts/imports/new',
    'move-in': '/contacts/move-in',
    import: `/contacts/imports/${demo.imported.id}`,
    exports: '/contacts/exports',
    forms: '/contacts/forms',
    'form-new': '/contacts/forms/new',
    form: `/contacts/forms/${form.id}`,
    'form-edit': `/contacts/forms/${form.id}/edit`,
    segments: '/segments',
    segment: `/segments/${demo.berlin.id}`,
    'segment-edit': `/segments/${demo.berlin.id}/edit`,
    'segment-new': '/segments/new',
    'segment-membership': `/segments/${demo.berlin.id}/contacts/${member.id}`,
    campaigns: '/campaigns',
    campaign: `/campaigns/${demo.sent.id}`,
    'campaign-audience': `/campaigns/${demo.draft.id}/edit`,
    'campaign-edit': `/campaigns/${demo.draft.id}/edit?step=content`,
    'campaign-settings': `/campaigns/${demo.draft.id}/edit?step=settings`,
    'campaign-review': `/campaigns/${demo.draft.id}/edit?step=review`,
    'campaign-new': '/campaigns/new',
    'campaign-links': `/campaigns/${demo.sent.id}/links`,
    'campaign-recipients': `/campaigns/${demo.sent.id}/recipients`,
    'campaign-content': `/campaigns/${demo.sent.id}/message`,
    'campaign-draft': `/campaigns/${demo.draft.id}`,
    'campaign-message': `/campaigns/${demo.sent.id}/messages/${recipient.contact_id}`,
    messages: '/campaigns/messages',
    templates: '/campaigns/templates',
    coupons: '/campaigns/coupons',
    'template-new': '/campaigns/templates/new?starter=newsletter',
    template: `/campaigns/templates/${template.id}`,
    leadpulse: '/leadpulse',
    'leadpulse-reports': '/leadpulse/reports?steps=["%24pageview","order_placed"]',
    'leadpulse-live': '/leadpulse/live',
    websites: '/leadpulse/websites',
    website: `/leadpulse/websites/${site.id}`,
    'leadpulse-settings': '/leadpulse/settings',
    'segment-calls': '/leadpulse/segment-calls',
    visitors: '/leadpulse/visitors',
    visitor: `/leadpulse/visitors/${visitor.id}`,
    workflows: '/workflows',
    'workflow-new': '/workflows/new',
    'workflow-edit': `/workflows/${demo.welcome.id}/edit`,
    'workflow-simulate': `/workflows/${demo.welcome.id}/simulate`,
    'workflow-versions': `/workflows/${demo.tagging.id}/versions`,
    workflow: `/workflows/${demo.welcome.id}`,
    'workflow-run': `/workflows/runs/${run.id}`,
    'settings-account': '/settings/account',
    'settings-brand': '/settings/brand',
    'settings-sending': '/settings/sending',
    'settings-api-keys': '/settings/api-keys',
    'settings-oauth-clients': '/settings/oauth-clients',
    'settings-webhooks': '/settings/webhooks',
    'settings-usage': '/settings/usage',
    'settings-team': '/settings/team',
    'settings-roles': '/settings/roles',
    'settings-single-sign-on': '/settings/single-sign-on',
    'settings-audit-log': '/settings/audit-log',
    you: '/you',
    styles: '/styles',
    'not-found': '/nowhere',
  };
}

/** Navigates inside the application, as a link does, without a page load. The steps of a page share its `h1`, not their `h2`. */
export async function goTo(page: Page, path: string) {
  const heading = await page.evaluate((to) => {
    for (const title of document.querySelectorAll<HTMLElement>('h1, h2')) title.dataset.left = '';
    const isStep = new URL(to, window.location.href).pathname === window.location.pathname;
    window.history.pushState({}, '', to);
    return isStep ? 'h2' : 'h1';
  }, path);
  await page.locator(`${heading}:not([data-left])`).first().waitFor();
  await settled(page);
}

/** Waits until the page has its title and has finished loading. */
export async function settled(page: Page) {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"], .mantine-Skeleton-root') === null);
}
