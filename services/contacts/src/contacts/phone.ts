import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { z } from 'zod';

/** A phone number as people write it, in E.164 format. */
export const phone = z
  .string()
  .max(40)
  .transform((value, context) => {
    const number = parsePhoneNumberFromString(value);
    if (number?.isValid()) return number.number;
    context.addIssue({
      code: 'custom',
      message: 'expected a valid phone number with its country code, such as +4930901820',
      params: { code: 'invalid_format' },
    });
    return z.NEVER;
  })
  .describe('With the country code; stored in E.164 format.');
