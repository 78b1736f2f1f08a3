import { Resolver } from 'node:dns/promises';
import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from '../services/campaigns/src/app.ts';
import { campaignsEnv } from '../services/campaigns/src/env.ts';

/** Runs campaigns with the DNS server and the SNS certificate of a test, instead of the real ones. */
const { DNS_SERVER = '', SNS_CERTIFICATE = '' } = process.env;
const env = readEnv(campaignsEnv);
const dns = new Resolver();
dns.setServers([DNS_SERVER]);
const parts = createParts({ name: 'campaigns', ...env });
await runService(parts, buildApp(parts, { ...env, dns, getFromSns: async () => SNS_CERTIFICATE }), env);
