/** Never returns; only terminating its thread stops it. */
export default function endless(): never {
  for (;;);
}
