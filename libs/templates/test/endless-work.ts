/** Work that never ends and that only ending its thread stops. */
export default function endless(): never {
  for (;;);
}
