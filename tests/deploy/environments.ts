import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { environments } from '../../scripts/environments.ts';

export const services = serviceNames;
export const variablesOf = (service: ServiceName) => Object.keys(environments[service]);
export const isSecret = (service: ServiceName, variable: string) => environments[service][variable]?.meta()?.secret === true;
