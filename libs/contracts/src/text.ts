import { z } from 'zod';

/** Whether a text is one line: no NUL, no line break, no other control character. */
export const isOneLine = (text: string) => !/\p{Cc}/u.test(text);
export const oneLine = 'expected one line, without line breaks and other control characters';

/** One line of text: Unicode NFC without surrounding spaces. */
export const Line = (maxLength: number) => z.string().trim().normalize('NFC').max(maxLength).refine(isOneLine, oneLine);

/** What something is called. */
export const Name = (maxLength: number) => z.string().trim().normalize('NFC').min(1).max(maxLength).refine(isOneLine, oneLine);
