const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether each word of `q` begins a word of the text, as the API's searches by name do. */
export function matches(q: string, text: string): boolean {
  const words = wordsOf(text);
  return wordsOf(q).every((begins) => words.some((word) => word.startsWith(begins)));
}
