import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { services as known, type ServiceName, type UpstreamName, upstreamNames, urlVariable } from '@mp/contracts/services';
import getPort, { portNumbers } from 'get-port';
import type { Service } from './service.ts';

/** The port of the gateway: PORT if set, otherwise the preferred one or the next free one. */
export async function chooseGatewayPort(report: (line: string) => void): Promise<number> {
  const requested = requestedPort('PORT');
  if (requested !== undefined) return takePort('PORT', requested);
  const preferred = known.gateway.port;
  const port = await getPort({ port: portNumbers(preferred, preferred + 100) });
  if (port !== preferred) report(`port ${preferred} is in use, using ${port}`);
  return port;
}

/** The six services of this checkout with their ports and environments. */
export async function listServices(root: string, infraEnv: Record<string, string>, gatewayPort: number, url: string): Promise<Service[]> {
  // Links from every service must lead to this gateway.
  const base = { NODE_ENV: 'development', LOG_LEVEL: 'info', ...infraEnv, ...process.env, PUBLIC_URL: url };
  const services: Service[] = [];
  const urls: Record<string, string> = {};
  for (const name of upstreamNames) {
    const port = await choosePort(name);
    urls[urlVariable(name)] = `http://127.0.0.1:${port}`;
    services.push(serviceAt(root, name, port, { ...base, HOST: '127.0.0.1', ...metricsPort(services.length + 1) }));
  }
  const gatewayEnv = { ...base, ...urls, HOST: process.env.HOST ?? '127.0.0.1' };
  return [serviceAt(root, 'gateway', gatewayPort, gatewayEnv), ...services];
}

/** One service of this checkout. It finds the others at their usual ports. */
export async function oneService(
  root: string,
  name: ServiceName,
  infraEnv: Record<string, string>,
  report: (line: string) => void,
): Promise<Service> {
  const base = { NODE_ENV: 'development', LOG_LEVEL: 'info', HOST: '127.0.0.1', ...infraEnv, ...process.env };
  if (name !== 'gateway') return serviceAt(root, name, await choosePort(name), base);
  const port = await chooseGatewayPort(report);
  return serviceAt(root, name, port, { PUBLIC_URL: `http://localhost:${port}`, ...base });
}

/** The port of a service behind the gateway: CONTACTS_PORT and so on if set, otherwise its own or, if that is in use, another. */
async function choosePort(name: UpstreamName): Promise<number> {
  const variable = `${name.toUpperCase()}_PORT`;
  const requested = requestedPort(variable);
  if (requested !== undefined) return takePort(variable, requested);
  return getPort({ host: '127.0.0.1', port: [known[name].port, ...portNumbers(4010, 4099)] });
}

function serviceAt(root: string, name: string, port: number, env: NodeJS.ProcessEnv): Service {
  const cwd = join(root, 'services', name);
  const file = join('src', 'main.ts');
  if (!existsSync(join(cwd, file))) throw new Error(`services/${name}/${file} is missing; the checkout is incomplete.`);
  return { name, file, cwd, port, env: { ...env, PORT: String(port) } };
}

/** METRICS_PORT is that of the gateway; the other services get the ports after it. */
function metricsPort(offset: number): { METRICS_PORT?: string } {
  const first = requestedPort('METRICS_PORT');
  return first === undefined ? {} : { METRICS_PORT: String(first + offset) };
}

async function takePort(variable: string, port: number): Promise<number> {
  if ((await getPort({ port })) !== port) throw new Error(`Port ${port} from ${variable} is in use.`);
  return port;
}

function requestedPort(variable: string): number | undefined {
  const requested = process.env[variable];
  if (!requested) return undefined;
  const port = Number(requested);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${variable} must be a port from 1 to 65535, not ${requested}.`);
  return port;
}
