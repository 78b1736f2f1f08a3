import { z } from 'zod';

const fields = [
  ...['email', 'phone', 'name', 'first_name', 'last_name', 'company', 'job_title', 'locale', 'timezone'],
  ...['line1', 'line2', 'city', 'region', 'postal_code', 'country'].map((name) => `address.${name}`),
];

const fieldPattern = new RegExp(
  `^(?:${fields.map((field) => field.replace('.', '\\.')).join('|')}|attributes\\.[A-Za-z0-9][A-Za-z0-9_-]{0,63})$`,
);

/** A trait of Segment's calls, and the field of the contact that gets its value. */
export const SegmentTrait = z
  .strictObject({
    trait: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe(
        'The name of the trait, or its path: `company.plan`. The traits of `group` calls are below `company`, with the group ID as `company.id`.',
      ),
    field: z
      .string()
      .regex(fieldPattern, `expected one of ${fields.join(', ')}, or an attribute such as attributes.plan`)
      .describe(
        `One of ${fields.map((field) => `\`${field}\``).join(', ')}, or an attribute such as \`attributes.plan\`. \`name\` is split into first and last name, unless other traits set these.`,
      ),
  })
  .meta({ id: 'SegmentTrait' });
export type SegmentTrait = z.output<typeof SegmentTrait>;

const reserved: Record<string, string> = {
  email: 'email',
  phone: 'phone',
  name: 'name',
  firstName: 'first_name',
  lastName: 'last_name',
  title: 'job_title',
  'company.name': 'company',
  'company.id': 'attributes.company_id',
  'company.industry': 'attributes.company_industry',
  'company.employees': 'attributes.company_employees',
  'company.employee_count': 'attributes.company_employees',
  'company.plan': 'attributes.company_plan',
  'address.street': 'address.line1',
  'address.city': 'address.city',
  'address.state': 'address.region',
  'address.postalCode': 'address.postal_code',
  'address.country': 'address.country',
  plan: 'attributes.plan',
  website: 'attributes.website',
  birthday: 'attributes.birthday',
  createdAt: 'attributes.signed_up_at',
};

/** The traits that Segment reserves, where contacts have a field of this meaning, and a few as attributes. */
export const defaultTraits: SegmentTrait[] = Object.entries(reserved).map(([trait, field]) => ({ trait, field }));
