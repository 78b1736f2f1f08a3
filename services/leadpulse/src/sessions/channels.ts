import { getDomain } from 'tldts';

/** The source of a session. */
export type Touch = {
  channel: string;
  source: string;
  /** The host of the referring page. */
  referrer: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
};

/** Referring sites by kind. A host includes its subdomains; a bare name matches the site under any top-level domain. */
const sites = {
  search: 'google bing yahoo duckduckgo ecosia qwant startpage baidu yandex naver seznam search.brave.com ask aol'.split(' '),
  social:
    'facebook fb.com instagram twitter t.co x.com linkedin lnkd.in pinterest reddit tiktok threads.net bsky.app mastodon.social vk.com tumblr xing quora news.ycombinator.com'.split(
      ' ',
    ),
  video: 'youtube youtu.be vimeo twitch dailymotion'.split(' '),
  email: 'mail.google.com outlook.live.com outlook.office.com mail.yahoo.com mail.proton.me com.google.android.gm'.split(' '),
  assistant: 'chatgpt.com chat.openai.com perplexity.ai claude.ai gemini.google.com copilot.microsoft.com'.split(' '),
};
type Kind = keyof typeof sites;

/** The most specific kind first: `mail.google.com` is email before it is search. */
const kinds: readonly Kind[] = ['email', 'assistant', 'video', 'social', 'search'];

const paidMedium = /^(cpc|ppc|cpm|cpv|cpa|paid.*|retargeting)$/;

/** Channels by the medium of the link, in order of precedence. Paid channels also depend on the site. */
const mediumChannels: readonly (readonly [RegExp, string])[] = [
  [/^(display|banner|expandable|interstitial)$/, 'display'],
  [/^e?-?_?mail$|^newsletter$/, 'email'],
  [/^affiliates?$/, 'affiliates'],
  [/^sms$/, 'sms'],
  [/push|^notification$/, 'push'],
  [/^(audio|podcast)$/, 'audio'],
  [/^(social|social-network|social-media|sm|social network|social media)$/, 'organic_social'],
  [/^video$/, 'organic_video'],
  [/^organic$/, 'organic_search'],
  [/^(referral|app|link)$/, 'referral'],
];

const organicChannel: Record<Kind, string> = {
  search: 'organic_search',
  social: 'organic_social',
  video: 'organic_video',
  email: 'email',
  assistant: 'assistant',
};
const paidChannel: Partial<Record<Kind, string>> = { search: 'paid_search', social: 'paid_social', video: 'paid_video' };

const isSite = (host: string, site: string) =>
  site.includes('.') ? host === site || host.endsWith(`.${site}`) : host.split('.').slice(0, -1).includes(site);

const kindOf = (host: string): Kind | undefined => kinds.find((kind) => sites[kind].some((site) => isSite(host, site)));

/** A bare name, as in `utm_source=facebook`, means the site with that name. */
const kindOfSource = (source: string) => kindOf(source.includes('.') ? source : `${source}.com`);

/** The click ID parameters of ad networks, with their source, and their medium if the click was paid. */
const clickIds: readonly (readonly [parameter: string, source: string, medium: string | null])[] = [
  ['gclid', 'google', 'cpc'],
  ['gbraid', 'google', 'cpc'],
  ['wbraid', 'google', 'cpc'],
  ['msclkid', 'bing', 'cpc'],
  ['ttclid', 'tiktok', 'cpc'],
  ['twclid', 'twitter', 'cpc'],
  ['li_fat_id', 'linkedin', 'cpc'],
  // Facebook adds this to every outgoing link, paid or not.
  ['fbclid', 'facebook', null],
];

type Arrival = {
  page: { url: string | null; referrer: string | null } | null;
  utm: { source: string | null; medium: string | null; campaign: string | null } | null;
};

/**
 * Determines the channel and source of a session: from the link's parameters (`utm_…`, then click IDs, then `ref`), else
 * from the referring page. A site's own hosts do not count as a source.
 */
export function touchOf({ page, utm }: Arrival): Touch {
  const referrer = externalHost(page, page?.referrer ?? null);
  const query = page?.url && URL.canParse(page.url) ? new URL(page.url).searchParams : undefined;
  const click = clickIds.find(([parameter]) => query?.get(parameter));
  const utmSource = utm?.source ?? null;
  const utmMedium = utm?.medium ?? null;
  const source = utmSource?.toLowerCase() ?? click?.[1] ?? sourceOfRef(page, query?.get('ref')?.trim() ?? '');
  const medium = utmMedium?.toLowerCase() ?? click?.[2] ?? null;
  return {
    channel: channelOf(referrer, source, medium),
    source: source ?? referrer ?? 'direct',
    referrer,
    utm_source: utmSource,
    utm_medium: utmMedium,
    utm_campaign: utm?.campaign ?? null,
  };
}

/** The source in `?ref=`, which is a name, a host or a URL; null if it has none. */
function sourceOfRef(page: Arrival['page'], ref: string): string | null {
  const host = hostOf(URL.canParse(ref) ? ref : `https://${ref}`);
  if (host === null || !host.includes('.')) return ref.toLowerCase().slice(0, 200) || null;
  return externalHost(page, `https://${host}`);
}

function channelOf(referrer: string | null, source: string | null, medium: string | null): string {
  const kind = source ? kindOfSource(source) : referrer ? kindOf(referrer) : undefined;
  if (medium && paidMedium.test(medium)) return (kind && paidChannel[kind]) ?? 'paid_other';
  const byMedium = medium ? mediumChannels.find(([pattern]) => pattern.test(medium)) : undefined;
  if (byMedium) return byMedium[1];
  if (kind) return organicChannel[kind];
  if (referrer || source) return 'referral';
  return 'direct';
}

const hostOf = (url: string | null) =>
  url && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '').slice(0, 200) || null : null;

/** The host of an address; null if it belongs to the page's own site (the registered domain with its subdomains). */
function externalHost(page: Arrival['page'], address: string | null): string | null {
  const [host, own] = [hostOf(address), hostOf(page?.url ?? null)];
  if (host === null || own === null) return host;
  return siteOf(host) === siteOf(own) ? null : host;
}

const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host;
