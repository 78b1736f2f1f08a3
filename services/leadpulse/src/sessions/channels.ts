import { getDomain, getDomainWithoutSuffix } from 'tldts';

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

/** A name in the table matches the site of that name under any public suffix, and a host matches itself and its subdomains. */
type Names = Readonly<Record<string, string>>;

/**
 * Referring sites by kind and source, as of November 2026. Several hosts of one site, such as link shorteners and mobile
 * hosts and apps, are one source.
 */
const sources = {
  search: {
    ...namedAfterSites('google bing yahoo duckduckgo ecosia qwant startpage baidu yandex naver seznam ask aol'),
    google: 'google com.google.android.googlequicksearchbox',
    brave: 'search.brave.com',
    kagi: 'kagi.com',
  },
  social: {
    ...namedAfterSites('pinterest tiktok tumblr xing quora'),
    facebook: 'facebook fb.com fb.me m.me messenger.com com.facebook.katana',
    instagram: 'instagram ig.me com.instagram.android',
    twitter: 'twitter t.co x.com',
    linkedin: 'linkedin lnkd.in com.linkedin.android',
    pinterest: 'pinterest pin.it',
    reddit: 'reddit redd.it com.reddit.frontpage',
    threads: 'threads.net threads.com',
    bluesky: 'bsky.app',
    mastodon: 'mastodon.social',
    vk: 'vk.com',
    hackernews: 'news.ycombinator.com',
    telegram: 'telegram.org telegram.me t.me org.telegram.messenger',
    whatsapp: 'whatsapp.com wa.me com.whatsapp',
  },
  video: { ...namedAfterSites('vimeo twitch dailymotion'), youtube: 'youtube youtu.be com.google.android.youtube' },
  email: {
    gmail: 'mail.google.com com.google.android.gm',
    outlook: 'outlook.live.com outlook.office.com outlook.office365.com',
    'yahoo mail': 'mail.yahoo.com',
    'proton mail': 'mail.proton.me',
  },
  assistant: {
    chatgpt: 'chatgpt.com chat.openai.com',
    perplexity: 'perplexity.ai',
    claude: 'claude.ai',
    gemini: 'gemini.google.com',
    copilot: 'copilot.microsoft.com',
  },
} as const satisfies Record<string, Names>;
type Kind = keyof typeof sources;

function namedAfterSites(names: string): Names {
  return Object.fromEntries(names.split(' ').map((name) => [name, name]));
}

type Site = { kind: Kind; source: string };

/** The most specific kind first: `mail.google.com` is email before it is search. */
const kinds: readonly Kind[] = ['email', 'assistant', 'video', 'social', 'search'];
const sites = kinds.flatMap((kind) =>
  Object.entries<string>(sources[kind]).flatMap(([source, hosts]) => hosts.split(' ').map((host) => ({ kind, source, host }))),
);

const isHost = (host: string, site: string) => (site.includes('.') ? host === site || host.endsWith(`.${site}`) : nameOf(host) === site);

/** The name of a site: `google` of `www.google.co.uk`. */
const nameOf = (host: string) => getDomainWithoutSuffix(host);

const knownSite = (host: string): Site | undefined => sites.find((site) => isHost(host, site.host));

/** Other names that links use for a source. */
const aliases: Names = { fb: 'facebook', ig: 'instagram', insta: 'instagram', yt: 'youtube', x: 'twitter', hn: 'hackernews' };

/** The site that a link names as its source, by the name of the source, as in `utm_source=facebook`, or by its host. */
function siteNamed(name: string): Site | undefined {
  const source = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return sites.find((site) => site.source === source) ?? (name.includes('.') ? knownSite(name) : undefined);
}

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
 * from the referring page. The hosts and names of a known site are one source; a site's own hosts are none.
 */
export function touchOf({ page, utm }: Arrival): Touch {
  const referrer = externalHost(page, page?.referrer ?? null);
  const query = page?.url && URL.canParse(page.url) ? new URL(page.url).searchParams : undefined;
  const click = clickIds.find(([parameter]) => query?.get(parameter));
  const utmSource = utm?.source ?? null;
  const utmMedium = utm?.medium ?? null;
  const named = utmSource?.toLowerCase() ?? click?.[1] ?? sourceOfRef(page, query?.get('ref')?.trim() ?? '');
  const site = named ? siteNamed(named) : referrer ? knownSite(referrer) : undefined;
  const medium = utmMedium?.toLowerCase() ?? click?.[2] ?? null;
  return {
    channel: channelOf(site?.kind, (named ?? referrer) !== null, medium),
    source: site?.source ?? named ?? referrer ?? 'direct',
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

function channelOf(kind: Kind | undefined, hasSource: boolean, medium: string | null): string {
  if (medium && paidMedium.test(medium)) return (kind && paidChannel[kind]) ?? 'paid_other';
  const byMedium = medium ? mediumChannels.find(([pattern]) => pattern.test(medium)) : undefined;
  if (byMedium) return byMedium[1];
  if (kind) return organicChannel[kind];
  return hasSource ? 'referral' : 'direct';
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
