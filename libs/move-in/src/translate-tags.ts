/** What a tag of another system is in Liquid; undefined if there is no equal. */
export type Translated =
  | { text: string }
  | { opens: string | undefined }
  | { between: string | undefined }
  | { closes: string }
  | undefined;

const brace = /\{(?=[{%])/g;
/** Text that Liquid would read as its own. */
const literal = (text: string) => text.replaceAll(brace, '{{ "{" }}');

/** `tag` is a merge tag; `like` is how text begins that is none, but that its author meant as one. */
type Tags = { tag: RegExp; like: RegExp };

/**
 * Replaces the merge tags of a template. A tag without an equal is removed and listed; of a condition without an equal, the tags are
 * removed and the content stays, so that blocks are always complete. What is like a tag stays as text, and is listed.
 */
export function translateTags(
  source: string,
  { tag: pattern, like }: Tags,
  translate: (tag: string) => Translated,
): { text: string; untranslated: string[] } {
  const untranslated = new Set<string>();
  /** The open blocks; those that are not written have no `closes`. */
  const blocks: { closes: string | undefined }[] = [];
  const parts: string[] = [];
  const keep = (text: string) => {
    for (const [found] of text.matchAll(like)) untranslated.add(found);
    parts.push(literal(text));
  };
  let end = 0;
  for (const { 0: tag, index } of source.matchAll(pattern)) {
    keep(source.slice(end, index));
    end = index + tag.length;
    const found = translate(tag);
    const block = blocks.at(-1);
    if (found && 'text' in found) parts.push(found.text);
    else if (found && 'opens' in found) {
      blocks.push({ closes: found.opens });
      if (found.opens === undefined) untranslated.add(tag);
      else parts.push(found.opens);
    } else if (found && 'between' in found && block?.closes !== undefined && found.between !== undefined) parts.push(found.between);
    else if (found && 'closes' in found && block) {
      blocks.pop();
      if (block.closes !== undefined) parts.push(found.closes);
    } else if (!found || !block || block.closes !== undefined) untranslated.add(tag);
  }
  keep(source.slice(end));
  for (const block of blocks.reverse()) if (block.closes !== undefined) parts.push('{% endif %}');
  return { text: parts.join(''), untranslated: [...untranslated].map((tag) => tag.slice(0, 200)) };
}

/** A field of the contact in Liquid. */
export const attributeField = (key: string) => (/^[a-z_]\w*$/i.test(key) ? `contact.attributes.${key}` : `contact.attributes["${key}"]`);

export const output = (field: string, fallback?: string) =>
  `{{ ${field}${fallback ? ` | default: "${fallback.replaceAll(/["{}%\\]/g, '')}"` : ''} }}`;
