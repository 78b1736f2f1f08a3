import { z } from 'zod';
import { didYouMean } from './nearest.ts';

/** Adds the nearest valid name to zod's messages about unknown fields, parameters and values. Holds for the whole process. */
export function suggestNames() {
  z.config({
    customError: (issue) => {
      if (issue.code === 'unrecognized_keys') {
        const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
        const [first = ''] = issue.keys;
        const names = issue.keys.map((key) => `"${key}"`).join(', ');
        return `Unrecognized ${issue.keys.length > 1 ? 'keys' : 'key'}: ${names}.${didYouMean(first, known)}`;
      }
      if (issue.code === 'invalid_value' && issue.values.length > 1 && typeof issue.input === 'string') {
        const suggestion = didYouMean(issue.input, issue.values.map(String));
        if (suggestion !== '')
          return `Invalid option: expected one of ${issue.values.map((value) => JSON.stringify(value)).join('|')}.${suggestion}`;
      }
      return undefined;
    },
  });
}
