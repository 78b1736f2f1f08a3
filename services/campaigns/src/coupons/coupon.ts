import { couponId } from '@mp/contracts/ids';
import { Line } from '@mp/contracts/text';
import { z } from 'zod';

/** The codes that one request can add, and that a coupon can have. */
export const maxAdded = 10_000;
export const maxCodes = 100_000;

/** The coupons of an account. */
export const maxCoupons = 1_000;

export const Coupon = z
  .object({
    id: couponId.describe('The ID of the coupon.'),
    name: z.string().describe('The name, which emails read as `{{ coupon.<name> }}`.'),
    description: z.string().nullable().describe('What the coupon is for.'),
    single_use: z.boolean().describe('Whether each recipient gets a code of its own; if not, all get the same one.'),
    expires_at: z.iso.datetime().nullable().describe('From when no code is handed out; null if the coupon does not expire.'),
    codes_count: z.number().int().describe('The number of codes, handed out or not.'),
    codes_left: z.number().int().nullable().describe('The number of codes that no recipient has; null if all recipients get the same one.'),
    revision: z.number().int().describe('Increases with every change of the coupon or its codes by a request; also the `ETag`.'),
    created_at: z.iso.datetime().describe('When the coupon was created.'),
    updated_at: z.iso.datetime().describe('When the coupon was last changed.'),
  })
  .meta({ id: 'Coupon' });
export type Coupon = z.infer<typeof Coupon>;

/** What is stored; how many codes are left follows from the codes. */
export type StoredCoupon = Omit<Coupon, 'codes_left'>;

const Code = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,64}$/, 'expected 1 to 64 letters, digits or signs of ASCII, without spaces');

export const codes = z
  .array(Code)
  .min(1)
  .max(maxAdded)
  .transform((all) => [...new Set(all)])
  .describe(`Codes, at most ${maxAdded} in a request.`);

export const GenerateCodes = z.strictObject({
  count: z.number().int().min(1).max(maxAdded).describe('How many codes to generate.'),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,32}$/, 'expected at most 32 letters, digits, _ and -')
    .default('')
    .describe('What each code begins with.'),
  length: z.number().int().min(8).max(32).default(8).describe('The number of random characters after the prefix.'),
});
export type GenerateCodes = z.output<typeof GenerateCodes>;

const writable = {
  description: Line(1_000).nullable().optional().describe('What the coupon is for.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .nullable()
    .optional()
    .describe('From when no code is handed out; null if the coupon does not expire.'),
};

export const CreateCouponBody = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected up to 64 lower-case letters, digits and _, beginning with a letter')
      .describe('The name, unique in the account, which emails read as `{{ coupon.<name> }}`. It cannot be changed.'),
    ...writable,
    single_use: z
      .boolean()
      .default(true)
      .describe('Whether each recipient gets a code of its own; if false, the coupon has one code, and all recipients get it.'),
    codes: codes.optional(),
    generate: GenerateCodes.optional().describe('Codes to generate, instead of `codes`.'),
  })
  .refine(({ codes, generate }) => codes === undefined || generate === undefined, {
    path: ['generate'],
    message: 'Use codes or generate, not both.',
  });
export type CreateCouponBody = z.output<typeof CreateCouponBody>;

export const readOnly = Coupon.omit({ description: true, expires_at: true });
export const UpdateCouponBody = z.strictObject({ ...readOnly.partial().shape, ...writable });
export type UpdateCouponBody = z.output<typeof UpdateCouponBody>;

/** What a request added. */
export const AddedCodes = z
  .object({
    added: z.number().int().describe('The number of codes that were added.'),
    duplicates: z.number().int().describe('The number of codes that the coupon already had.'),
    coupon: Coupon.describe('The coupon with these codes.'),
  })
  .meta({ id: 'AddedCouponCodes' });

export const isExpired = ({ expires_at }: Pick<Coupon, 'expires_at'>, now = new Date()) =>
  expires_at !== null && new Date(expires_at) <= now;
