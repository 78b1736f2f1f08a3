import { z } from 'zod';

export const Plan = z.enum(['starter', 'growth', 'professional', 'enterprise']).meta({ id: 'Plan' });
export type Plan = z.infer<typeof Plan>;
