import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Examples } from '../../documentation/examples.ts';
import { Routes } from './route.ts';

/** The gateway's `config/`: express-gateway's configuration, and what `npm run generate` creates from the services. */
export const configFolder = fileURLToPath(new URL('../../../config', import.meta.url));

export const generatedRoutes = () => Routes.parse(JSON.parse(readFileSync(`${configFolder}/routes.json`, 'utf8')));
export const generatedExamples = () => Examples.parse(JSON.parse(readFileSync(`${configFolder}/examples.json`, 'utf8')));
export const generatedOpenapi = () => readFileSync(`${configFolder}/openapi.json`, 'utf8');
