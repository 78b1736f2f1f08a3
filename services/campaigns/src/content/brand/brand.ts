import { Name } from '@mp/contracts/text';
import { settingsRevision } from '@mp/service-kit/settings-revision';
import { z } from 'zod';

/** The fonts that mail clients have. Editors name a list of them; recipients see the first that their device has. */
export const fonts = ['system', 'arial', 'georgia', 'helvetica', 'tahoma', 'times', 'trebuchet', 'verdana'] as const;

export const socialNetworks = ['facebook', 'github', 'instagram', 'linkedin', 'mastodon', 'tiktok', 'website', 'x', 'youtube'] as const;

const maxSocialLinks = 10;

const color = (of: string) =>
  z
    .string()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'expected a color such as #1f2933')
    .describe(of);

const url = z.url({ protocol: /^https?$/, error: 'expected a URL such as https://example.com/' }).max(2_000);

/** Text of several lines without control characters. */
const lines = (maxLength: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .max(maxLength)
    .refine((text) => !/[^\P{Cc}\n]/u.test(text), 'expected text without control characters');

/** What the emails of an account have in common. Editors use it for new emails; emails that exist are not changed. */
export const Brand = z.strictObject({
  company_name: Name(200).nullable().describe('The name of the company, in the footer.'),
  website_url: url.nullable().describe('The website, to which the logo links.'),
  logo_url: url.nullable().describe('The URL of the logo, such as that of an uploaded image.'),
  logo_width: z.number().int().min(16).max(600).describe('The width of the logo in pixels.'),
  colors: z
    .strictObject({
      primary: color('Buttons and links.'),
      background: color('The area around the email.'),
      surface: color('The area of the email itself.'),
      text: color('Text.'),
    })
    .describe('The colors, as `#rrggbb`.'),
  font: z.enum(fonts).describe('The font.'),
  postal_address: lines(500).nullable().describe('The postal address, which many countries require in marketing emails.'),
  footer_text: lines(1_000).nullable().describe('Text for the footer, such as why the recipient gets the email.'),
  social_links: z
    .array(
      z.strictObject({
        network: z.enum(socialNetworks).describe('The network.'),
        url: url.describe('The URL of the page.'),
      }),
    )
    .max(maxSocialLinks)
    .describe('The pages of the company.'),
});
export type Brand = z.infer<typeof Brand>;

export const BrandView = Brand.extend({ revision: settingsRevision }).meta({ id: 'Brand' });

export const defaultBrand: Brand = {
  company_name: null,
  website_url: null,
  logo_url: null,
  logo_width: 160,
  colors: { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933' },
  font: 'system',
  postal_address: null,
  footer_text: null,
  social_links: [],
};
