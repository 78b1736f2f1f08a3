import { z } from 'zod';

/** Whether a text is a single line: no line breaks or other control characters. */
export const isOneLine = (text: string) => !/\p{Cc}/u.test(text);
export const oneLine = 'expected a single line without line breaks or other control characters';

/** A single line of text, trimmed and normalized to NFC. */
export const Line = (maxLength: number) => z.string().trim().normalize('NFC').max(maxLength).refine(isOneLine, oneLine);

/** The name of a resource: a non-empty single line, trimmed and normalized to NFC. */
export const Name = (maxLength: number) => z.string().trim().normalize('NFC').min(1).max(maxLength).refine(isOneLine, oneLine);
