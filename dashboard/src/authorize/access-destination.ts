/** The host that receives the access, or what stands for it. */
export function accessDestination(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol === 'https:') return hostname;
  return protocol === 'http:' ? 'a program on this device' : `the app that opens ${protocol}`;
}
