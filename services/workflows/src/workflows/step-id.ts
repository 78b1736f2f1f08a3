import { z } from 'zod';

export const StepId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'expected up to 64 letters, digits, _ or -')
  .describe('Chosen by you; unique in the workflow.');
