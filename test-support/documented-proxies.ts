import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { codeBlocks } from './code-blocks.ts';

const document = readFileSync('docs/production.md', 'utf8');
/** The host of the service in the document. */
export const HOST = 'members.example.org';
/** Returns the code blocks of docs/production.md in a language. */
export const blocks = (language: string): readonly string[] => codeBlocks(document, language);

/** Replaces each text once or more. @throws AssertionError if the configuration does not contain it. */
const replaceAll = (configuration: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((changed, [old, other]) => {
    expect(changed).to.include(old);
    return changed.replaceAll(old, other);
  }, configuration);

/** A proxy that the document configures. */
interface Proxy {
  readonly name: string;
  readonly version: string;
  /** Writes the configuration of the document for these addresses. Returns the command that starts the proxy. */
  readonly start: (folder: string, ports: Readonly<Record<'http' | 'https' | 'api' | 'ops', number>>) => string[];
}

export const PROXIES: readonly Proxy[] = [
  {
    name: 'caddy',
    version: 'version',
    start: (folder, { http, https, api }) => {
      const [site = ''] = blocks('caddyfile');
      const tls = `{\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem\n`;
      const global = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
      const here = replaceAll(site, { [`${HOST} {\n`]: `${HOST} ${tls}`, '127.0.0.1:3000': `127.0.0.1:${api}` });
      writeFileSync(join(folder, 'Caddyfile'), global + here);
      return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
  {
    name: 'nginx',
    version: '-v',
    start: (folder, { http, https, api }) => {
      const [site = ''] = blocks('nginx');
      const here = replaceAll(site, {
        'listen 80': `listen 127.0.0.1:${http}`,
        'listen 443': `listen 127.0.0.1:${https}`,
        '127.0.0.1:3000': `127.0.0.1:${api}`,
        [`/etc/letsencrypt/live/${HOST}`]: folder,
      });
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      // A worker process would outlive a master that SIGKILL ends.
      const around = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${temporary.join(' ')}\n${here}}`;
      writeFileSync(join(folder, 'nginx.conf'), around);
      return ['nginx', '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
    },
  },
  {
    name: 'haproxy',
    version: '-v',
    start: (folder, { http, https, api, ops }) => {
      const pem = ['fullchain.pem', 'privkey.pem'].map((file) => readFileSync(join(folder, file), 'utf8')).join('');
      writeFileSync(join(folder, `${HOST}.pem`), pem);
      const [configuration = ''] = blocks('haproxy');
      const here = replaceAll(configuration, {
        '    user haproxy\n    group haproxy\n': '',
        'bind :80': `bind 127.0.0.1:${http}`,
        'bind :443': `bind 127.0.0.1:${https}`,
        '/etc/haproxy': folder,
        '127.0.0.1:3000': `127.0.0.1:${api}`,
        'port 9464': `port ${ops}`,
      });
      writeFileSync(join(folder, 'haproxy.cfg'), here);
      return ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
    },
  },
];
