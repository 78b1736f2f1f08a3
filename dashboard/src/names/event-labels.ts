/** The events that LeadPulse names itself. All others have the names that the account gave them. */
const labels = new Map([
  ['$pageview', 'Page view'],
  ['$identify', 'Identification'],
  ['$engagement', 'Time on page'],
  ['$session_end', 'End of visit'],
]);
const names = new Map([...labels].map(([name, label]) => [label.toLowerCase(), name]));

/** The name of an event as people read it. */
export const eventLabel = (name: string): string => labels.get(name) ?? name;

/** The event in words: `Order placed` for `order_placed`. */
export const eventWords = (name: string): string => {
  const words = /^[a-z][a-z\d]*([_.-][a-z\d]+)*$/.test(name) ? name.replaceAll(/[_.-]/g, ' ') : name;
  return labels.get(name) ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};

/** The event within a sentence, such as “Order placed” for `order_placed`. */
export const eventPhrase = (name: string): string => labels.get(name) ?? `“${eventWords(name)}”`;

/** The name of the event that people call this. */
export const eventNamed = (label: string): string => names.get(label.trim().toLowerCase()) ?? label;
