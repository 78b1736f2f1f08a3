import type { Brand as AccountBrand } from '@marketing-platform/sdk';

/** What an email keeps of the brand of the account. */
export type Brand = Omit<AccountBrand, 'revision'>;

/** A block, or a part of one, as TipTap stores it. */
export type DesignNode = {
  type: string;
  attrs?: Record<string, unknown>;
  content?: DesignNode[];
  marks?: { type: string; attrs?: Record<string, unknown> }[];
  text?: string;
};

/** The document of the email editor: the `design` of campaigns and templates. It holds the brand that its HTML was made with. */
export type EmailDesign = { editor: 'blocks'; version: 1; brand: Brand; doc: DesignNode };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isNode = (value: unknown): value is DesignNode =>
  isObject(value) &&
  typeof value.type === 'string' &&
  (value.content === undefined || (Array.isArray(value.content) && value.content.every(isNode)));

const isBrand = (value: unknown): value is Brand => isObject(value) && isObject(value.colors) && Array.isArray(value.social_links);

/** The design of an email; undefined if it was written elsewhere. */
export function designOf(value: unknown): EmailDesign | undefined {
  if (!isObject(value) || value.editor !== 'blocks' || value.version !== 1) return undefined;
  const { brand, doc } = value;
  return isNode(doc) && isBrand(brand) ? { editor: 'blocks', version: 1, brand, doc } : undefined;
}

export const newDesign = (brand: Brand, content: DesignNode[]): EmailDesign => ({
  editor: 'blocks',
  version: 1,
  brand,
  doc: { type: 'doc', content: content.map((node) => linkedTo(brand.website_url, node)) },
});

/** Where buttons of starters lead until the brand has a website. */
export const placeholderUrl = 'https://example.com/';

const linkedTo = (website: string | null, { attrs, content, ...node }: DesignNode): DesignNode => ({
  ...node,
  ...(attrs && { attrs: website !== null && attrs.href === placeholderUrl ? { ...attrs, href: website } : attrs }),
  ...(content && { content: content.map((part) => linkedTo(website, part)) }),
});

/** An attribute that is text; empty if there is none. */
export const textOf = ({ attrs }: Pick<DesignNode, 'attrs'>, name: string): string => {
  const value = attrs?.[name];
  return typeof value === 'string' ? value : '';
};

/** An attribute that is a number. */
export const numberOf = ({ attrs }: Pick<DesignNode, 'attrs'>, name: string): number | undefined => {
  const value = attrs?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** The height of a spacer, in pixels. */
export const spacerHeights = { least: 8, usual: 32, most: 96 };

export const heightOf = (spacer: Pick<DesignNode, 'attrs'>) =>
  Math.round(Math.min(Math.max(numberOf(spacer, 'height') ?? spacerHeights.usual, spacerHeights.least), spacerHeights.most));

export type SocialLink = Brand['social_links'][number];

const isSocialLink = (value: unknown): value is SocialLink =>
  isObject(value) && typeof value.network === 'string' && typeof value.url === 'string';

/** The links of a block of social links; those of the brand if it has none of its own. */
export const socialLinksOf = (node: DesignNode, brand: Brand): SocialLink[] => {
  const links = node.attrs?.links;
  return Array.isArray(links) ? links.filter(isSocialLink) : brand.social_links;
};

export const networkNames: Record<SocialLink['network'], string> = {
  facebook: 'Facebook',
  github: 'GitHub',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
  mastodon: 'Mastodon',
  tiktok: 'TikTok',
  website: 'Website',
  x: 'X',
  youtube: 'YouTube',
};
