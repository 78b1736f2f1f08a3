/** Merge tags of other systems that have an equal here. */
const mergeTags: Readonly<Record<string, string>> = {
  FNAME: 'contact.first_name',
  LNAME: 'contact.last_name',
  EMAIL: 'contact.email',
  PHONE: 'contact.phone',
  COMPANY: 'contact.company',
  UNSUB: 'unsubscribe_url',
};

const foreignTag = /\*\|([A-Z][A-Z0-9_:]{0,60})\|\*/g;

/** Merge tags such as `*|FNAME|*`, which recipients would see. */
export const foreignTags = (source: string): { index: number; message: string }[] =>
  [...source.matchAll(foreignTag)].map(({ index, 0: tag, 1: name = '' }) => {
    const [, condition] = /^(?:IF|ELSEIF):(.+)$/.exec(name) ?? [];
    const field = mergeTags[condition ?? name] ?? 'contact.<field>';
    const instead = /^(?:IF|ELSE|ELSEIF|END):/.test(name) ? `{% if ${field} %}…{% endif %}` : `{{ ${field} }}`;
    return { index, message: `${tag} is a merge tag of another system, which recipients would see. Use ${instead}.` };
  });

/** What to write in Liquid for a tag of Handlebars or Mustache at the start of this text; undefined for other text. */
export function liquidFor(text: string): string | undefined {
  const [, sign, word = '', subject = ''] = /^\{\{\{?~?\s*([#/^])?\s*([\w.]*)\s*([\w.[\]-]*)/.exec(text) ?? [];
  if (sign === undefined) return text.startsWith('{{{') ? 'Use {{ … }} with two braces; values are always escaped.' : undefined;
  const what = subject || 'contact.first_name';
  const name = word === 'each' ? 'for' : word === 'unless' ? 'unless' : 'if';
  if (sign === '/') return `This is Handlebars; in Liquid, write {% end${name} %}.`;
  if (sign === '^') return `This is Mustache; in Liquid, write {% unless ${word || what} %}…{% endunless %}.`;
  const opening = name === 'for' ? `for item in ${what}` : `${name} ${['if', 'unless'].includes(word) ? what : word}`;
  return `This is Handlebars; in Liquid, write {% ${opening} %}…{% end${name} %}.`;
}
