import { didYouMean } from '@mp/contracts/nearest';
import { isKnownField, knownFields } from './fields.ts';

const prefix = 'contact.';
/** The known names without `contact.`, which would make all of them similar to each other. */
const shortNames = knownFields
  .filter((name) => !name.includes('<'))
  .map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));

/** ` Did you mean contact.first_name?` for a field that a template cannot read; an empty text if none is similar. */
export function nearField(name: string): string {
  const own = name.replace(/^(?:contact|person|user|subscriber|recipient|customer)\./, '');
  const isKnown = (known: string) => isKnownField([...prefix.split('.').slice(0, -1), ...known.split('.')]);
  if (isKnown(own)) return ` Did you mean ${prefix}${own}?`;
  const [, meant] = /"(.*)"/.exec(didYouMean(own, shortNames)) ?? [];
  if (meant !== undefined) return ` Did you mean ${isKnown(meant) ? prefix : ''}${meant}?`;
  return name.startsWith(prefix) && /^[\w-]+$/.test(own) ? ` If it is an attribute, use contact.attributes.${own}.` : '';
}
