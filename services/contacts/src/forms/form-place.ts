import { allowsOrigin } from '@mp/contracts/origin';
import { z } from 'zod';
import { maxEvidenceSource } from '../consent/consent.ts';
import type { Form } from './form.ts';

/** Where the page of a form is shown. */
export type Place = {
  /** How a page of another website shows it; undefined for the hosted page itself. */
  embed: 'inline' | 'bar' | undefined;
  /** The origin of that page, if the form allows it. */
  parent: string | null;
  /** The address of that page, without its query, which can be secret. */
  page: string | null;
  /** Where the visit came from: `utm_source`, or the host of another website. */
  source: string | null;
  /** The ID that LeadPulse's script gave to the visitor of that page. */
  visitor: string | null;
};

export const ownPage: Place = { embed: undefined, parent: null, page: null, source: null, visitor: null };

export const maxSourceLength = 200;

/**
 * An address without its query and hash, cut to what evidence of a consent can hold. Nor may it be much longer: it is a part of an
 * index, and MongoDB 4.0 refuses keys over 1,024 bytes.
 */
export const PageUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .transform((text) => {
    const { origin, pathname } = new URL(text);
    return (origin + pathname).slice(0, maxEvidenceSource);
  });

export const VisitorOfPage = z.string().regex(/^[\w-]{8,100}$/, 'expected 8 to 100 letters, digits, _ or -');

const Query = z.object({
  embed: z.enum(['1', 'bar']).optional().catch(undefined),
  page: PageUrl.optional().catch(undefined),
  source: z.string().trim().min(1).max(maxSourceLength).optional().catch(undefined),
  utm_source: z.string().trim().min(1).max(maxSourceLength).optional().catch(undefined),
  visitor: VisitorOfPage.optional().catch(undefined),
});

/** Where the query of a request says that the form is shown. What it says about a page counts only if the form allows that page. */
export function placeOf(
  { allowed_origins }: Form,
  query: unknown,
  { referer, host }: { referer?: string | undefined; host?: string | undefined },
): Place {
  const { embed, page, source, utm_source, visitor } = Query.parse(query);
  const origin = page === undefined ? undefined : new URL(page).origin;
  const isAllowed = embed !== undefined && origin !== undefined && allowsOrigin(allowed_origins, origin);
  if (!isAllowed) return { ...ownPage, embed: shownAs(embed), source: source ?? utm_source ?? hostOf(referer, host) };
  return { embed: shownAs(embed), parent: origin, page: page ?? null, source: source ?? null, visitor: visitor ?? null };
}

const shownAs = (embed: '1' | 'bar' | undefined): Place['embed'] => (embed === '1' ? 'inline' : embed);

function hostOf(referer: string | undefined, own: string | undefined): string | null {
  if (referer === undefined || !URL.canParse(referer)) return null;
  const { host } = new URL(referer);
  return host === own || host === '' ? null : host.slice(0, maxSourceLength);
}

/** The query that says the same, for the submission of the page. */
export function queryOf({ embed, page, source, visitor }: Place): string {
  const named = { embed: embed === 'inline' ? '1' : embed, page, source, visitor };
  const query = new URLSearchParams(
    Object.entries(named).flatMap(([name, value]) => (value ? [[name, value] satisfies [string, string]] : [])),
  );
  return query.size > 0 ? `?${query}` : '';
}
