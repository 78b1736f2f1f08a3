// A platform of one fixture service, to be killed by the tests.
import { join } from 'node:path';
import { startServices } from '../src/services.ts';

const [logs = '', port = '', mode] = process.argv.slice(2);
const fixture = {
  name: 'fixture',
  file: 'fixture-service.ts',
  cwd: import.meta.dirname,
  port: Number(port),
  env: { PATH: process.env.PATH, PORT: port },
};
const services = startServices([fixture], { logs: join(logs), watch: mode === 'watch', show: () => {}, gaveUp: () => {} });
await services.untilReady();
console.log('ready');
