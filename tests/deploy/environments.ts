import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { environments } from '../../scripts/environments.ts';

export const services = serviceNames;
const withNodeOptions: readonly ServiceName[] = ['gateway', 'contacts'];
/** The variables of a service and of Node. */
export const variablesOf = (service: ServiceName) => [
  ...Object.keys(environments[service]),
  ...(withNodeOptions.includes(service) ? ['NODE_OPTIONS'] : []),
];
export const isSecret = (service: ServiceName, variable: string) => environments[service][variable]?.meta()?.secret === true;
