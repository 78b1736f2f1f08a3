// A process that holds an infrastructure until it is killed.
import { acquireInfra } from '../src/infra.ts';

const [dir = ''] = process.argv.slice(2);
const { mongoUrl, natsUrl } = await acquireInfra({ dir });
console.log(JSON.stringify({ mongoUrl, natsUrl }));
setInterval(() => {}, 60_000);
