import { join } from 'node:path';
import type { Binary } from './binary.ts';
import { cached } from './cache.ts';
import { fetchDebianPackage } from './fetch-debian.ts';
import { fetchNatsRelease, natsRelease } from './fetch-nats-release.ts';
import { findProgram, type Report, type Way } from './find.ts';

const advice = [
  'install NATS so that nats-server 2.9 or newer is on PATH (Debian and Ubuntu: apt install nats-server; macOS: brew install nats-server)',
  'set NATS_URL to a server you run, with JetStream enabled',
  `let this machine reach a Debian mirror or github.com (nats-server ${natsRelease})`,
];

export const findNatsServer = (dir: string, report: Report): Promise<Binary> =>
  findProgram({ program: 'nats-server', least: '2.9.0', dataFolder: join(dir, 'nats'), ways: [debian, release], advice }, report);

const platform = `${process.platform}-${process.arch}`;

const debian: Way = {
  what: 'Debian package nats-server, unpacked without root',
  find: (report) =>
    cached(`nats-server-debian-${platform}`, (folder) => fetchDebianPackage('nats-server', 'usr/sbin/nats-server', folder, report), report),
};

const release: Way = {
  what: `official release ${natsRelease}`,
  find: (report) => cached(`nats-server-${natsRelease}-${platform}`, (folder) => fetchNatsRelease(folder, report), report),
};
