/** A validation rule: the message, if the text is blank. */
export const required = (message: string) => (text: string) => (text.trim() === '' ? message : null);
