import { z } from 'zod';

const dayMs = 24 * 60 * 60 * 1_000;

/** How far back an activation looks. */
export const PastDays = z.number().int().min(1).max(90);

export const sinceDays = (days: number, now: Date) => new Date(now.getTime() - days * dayMs);
