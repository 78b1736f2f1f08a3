/** A password that repeats fewer characters than this is weak. */
const shortestRepeated = 4;

/**
 * Why a password is easy to guess although it is long enough; undefined if it is not. The list of common passwords is
 * loaded only when a password is set, to save memory.
 */
export async function weakness(password: string, email: string): Promise<string | undefined> {
  const text = password.trim().toLowerCase();
  if (text === '') return 'The password consists only of spaces.';
  const [name = ''] = email.split('@');
  if (text === email || text === name) return 'The password is your email address.';
  const repeated = /^(.+?)\1+$/su.exec(text)?.[1];
  if (repeated !== undefined && repeated.length < shortestRepeated) return 'The password only repeats a few characters.';
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common'];
  if (common.includes(text) || (repeated !== undefined && common.includes(repeated))) return 'The password is too common.';
  return undefined;
}
