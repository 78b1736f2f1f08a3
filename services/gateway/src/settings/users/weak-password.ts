/** Any repetition of fewer characters is guessed first. */
const shortestRepeated = 4;

/**
 * Why a password of sufficient length is still among the first that are guessed; undefined when it is not. The list of
 * common passwords is loaded when somebody sets one: the gateway has better use for its memory.
 */
export async function weakness(password: string, email: string): Promise<string | undefined> {
  const text = password.trim().toLowerCase();
  if (text === '') return 'A password is not only spaces.';
  const [name = ''] = email.split('@');
  if (text === email || text === name) return 'A password is not your e-mail address.';
  const repeated = /^(.+?)\1+$/su.exec(text)?.[1];
  if (repeated !== undefined && repeated.length < shortestRepeated) return 'A password is not the same few characters again and again.';
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common'];
  if (common.includes(text) || (repeated !== undefined && common.includes(repeated))) return 'This password is among the most common ones.';
  return undefined;
}
