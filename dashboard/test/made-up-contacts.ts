import type { Page } from 'playwright-core';

type Amount = { total: number; atOnce: number };

/** Stubs the list of contacts inside the page: more contacts than a test could create or transfer. */
export const serveContacts = (page: Page, amount: Amount) =>
  page.addInitScript(({ total, atOnce }: Amount) => {
    const at = new Date(Date.UTC(2026, 0, 1)).toISOString();
    const contact = (number: number) => ({
      id: `contact_${number}`,
      external_id: null,
      email: `number.${number}@example.com`,
      phone: null,
      first_name: 'Number',
      last_name: String(number),
      company: 'Example GmbH',
      job_title: null,
      locale: null,
      timezone: null,
      address: null,
      tags: number % 3 === 0 ? ['customer', 'newsletter'] : ['newsletter'],
      attributes: {},
      consent: { email: null, sms: null },
      status: 'active',
      source: 'api',
      revision: 1,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
    });
    const listPage = (query: URLSearchParams) => {
      const from = Number(query.get('cursor') ?? 0);
      const to = Math.min(total, from + atOnce);
      return {
        items: Array.from({ length: to - from }, (_, index) => contact(from + index + 1)),
        pagination: { limit: atOnce, has_more: to < total, next_cursor: to < total ? String(to) : null, total_count: total },
      };
    };
    const originalFetch = window.fetch;
    window.fetch = async (input, options) => {
      const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input, window.location.href);
      if (pathname !== '/v2/contacts') return originalFetch(input, options);
      if (searchParams.has('cursor')) performance.mark(`contacts from ${searchParams.get('cursor')}`);
      return Response.json({ success: true, data: listPage(searchParams) });
    };
  }, amount);
