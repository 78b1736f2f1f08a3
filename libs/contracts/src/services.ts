import { z } from 'zod';

/** Every service of the platform, the gateway first, with the port it prefers. Whatever lists the services reads this. */
export const services = {
  gateway: { port: 8080 },
  contacts: { port: 4001 },
  segments: { port: 4002 },
  campaigns: { port: 4003 },
  leadpulse: { port: 4004 },
  workflows: { port: 4005 },
} as const;

export const ServiceName = z.enum(Object.keys(services) as (keyof typeof services)[]);
export type ServiceName = z.infer<typeof ServiceName>;

export const serviceNames = ServiceName.options;

/** The services behind the gateway. */
const Upstream = ServiceName.exclude(['gateway']);
export type UpstreamName = z.infer<typeof Upstream>;

export const upstreamNames = Upstream.options;

export type UrlVariable = `${Uppercase<UpstreamName>}_URL`;

/** The environment variable in which the gateway gets the URL of a service. */
export const urlVariable = (name: UpstreamName) => `${name.toUpperCase()}_URL` as UrlVariable;
