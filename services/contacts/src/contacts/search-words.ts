import { type Contact, emailKey } from '@mp/contracts/contact';
import { fold } from '@mp/rules/text';

/** Bounds on the index entries of one contact; MongoDB 4.0 limits each to 1,024 bytes. */
const maxWordsPerField = 20;
const maxWordLength = 100;

const ascii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]/g;
const separator = /[\p{P}\p{Z}\p{C}+<>=|~^$`]/u;
/** The place where a word begins: at the start of the text or after a separator. */
const wordStart = /(?<![^\p{P}\p{Z}\p{C}+<>=|~^$`])[^\p{P}\p{Z}\p{C}+<>=|~^$`]/gu;

/** Letters that Unicode does not decompose, as people write them without their keyboard. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ı: 'i', ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ŋ: 'n', ĸ: 'k' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th', ə: 'e', ɓ: 'b', ɗ: 'd', ƙ: 'k' },
};
const specialLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/** Without case, accents and special letters, so that `Zoë` is found by `ZOE`, and `Iğdır` by `igdir`. */
const plain = (text: string) =>
  ascii.test(text)
    ? text.toLowerCase()
    : fold(text.normalize('NFKD'))
        .normalize('NFKD')
        .replace(accents, '')
        .replace(specialLetter, (letter) => plainLetters[letter] ?? letter);

/**
 * The words of a field. A part without spaces counts from each place where a word begins in it, so `ada@mail.example.com` is found
 * by the start of the address, of the domain `mail.example.com`, and of `example.com`.
 */
function* wordsOf(text: string | null): Generator<string> {
  if (text === null) return;
  let count = 0;
  for (const part of plain(text).split(/\s+/))
    for (const { index } of part.matchAll(wordStart)) {
      if (count === maxWordsPerField) return;
      count += 1;
      yield part.slice(index, index + maxWordLength);
    }
}

/** Country calling codes of one and two digits; all others have three. */
const callingCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** A phone number with its country code, and without it, with and without the leading zero that many countries dial. */
function phoneWords(phone: string | null): string[] {
  if (phone === null) return [];
  const digits = phone.replace(/\D/g, '');
  const national = digits.slice(callingCode.exec(digits)?.[0].length ?? 3);
  return [digits, national, `0${national}`];
}

/** The indexed words of a contact. A word that another one begins with is left out: every prefix of it finds the other one. */
export function searchWordsOf({ first_name, last_name, email, phone, external_id }: Contact): string[] {
  const addresses = email === null ? [] : [...new Set([email, emailKey(email)])];
  const words = [...[first_name, last_name, ...addresses, external_id].flatMap((text) => [...wordsOf(text)]), ...phoneWords(phone)];
  return [...new Set(words)].sort().filter((word, index, all) => !all[index + 1]?.startsWith(word));
}

const writtenPhone = /^[+(\d][\d\s()+/.-]*$/;
const minPhoneDigits = 7;

/** The words of a search, each of which must begin a word of the contact. None if the text has no letter or digit. */
export function searchedWords(text: string): string[] {
  const digits = text.replace(/\D/g, '');
  const isPhone = writtenPhone.test(text) && (/^[+(]/.test(text) || (/^0|\s/.test(text) && digits.length >= minPhoneDigits));
  if (isPhone) return digits === '' ? [] : [digits];
  const words = plain(text).split(/\s+/).map(withoutLeadingSeparators);
  return [...new Set(words.filter(Boolean).map((word) => word.slice(0, maxWordLength)))];
}

function withoutLeadingSeparators(word: string): string {
  const letters = Array.from(word);
  const start = letters.findIndex((letter) => !separator.test(letter));
  return start < 0 ? '' : letters.slice(start).join('');
}
