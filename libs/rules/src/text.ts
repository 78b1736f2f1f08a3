/** How text is compared: NFC, without regard to case. `É` written in one code point or two is the same letter. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
