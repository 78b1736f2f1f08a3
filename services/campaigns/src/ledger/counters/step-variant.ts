/** The key of a variant of a step: names can contain characters that keys of counters cannot, IDs of steps no dot. */
export const stepVariantKey = (step: string, variant: string) => `${step}.${Buffer.from(variant).toString('base64url')}`;

export function stepVariantOf(key: string) {
  const [step = '', variant = ''] = key.split('.');
  return { step, variant: Buffer.from(variant, 'base64url').toString() };
}
