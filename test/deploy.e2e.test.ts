import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { env, isInstalled } from '../test-support/installed.ts';
import { manifestFaults, parseManifests, readManifests } from '../test-support/kubernetes.ts';
import { skip } from '../test-support/skip.ts';

const run = (command: string, ...args: readonly string[]) => spawnSync(command, args, { env, encoding: 'utf8' });

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: object; readonly stop_grace_period?: string }>>;
}

describe('deploy/', () => {
  const compose = parse(readFileSync('deploy/compose.ha.yaml', 'utf8'), { merge: true }) as Compose;

  it('has manifests that kustomize builds, with the image and the namespace of the kustomization', function () {
    if (!isInstalled('kubectl', 'version', '--client')) skip(this, 'kubectl is not installed');
    const { stdout, stderr } = run('kubectl', 'kustomize', 'deploy/kubernetes');
    const built = parseManifests(stdout);
    expect(
      built.map(({ kind }) => kind),
      stderr,
    ).to.have.members([...readManifests('deploy/kubernetes').values()].map(({ kind }) => kind));
    expect(manifestFaults(built)).to.deep.equal([]);
    for (const { kind, metadata } of built)
      if (kind !== 'Namespace') expect(metadata.namespace, kind).to.equal('chapter');
  });

  it('has a compose.ha.yaml that Docker Compose accepts', function () {
    const [program = '', ...args] =
      [['docker', 'compose'], ['docker-compose']].find(([name = '', ...more]) =>
        isInstalled(name, ...more, 'version'),
      ) ?? skip(this, 'neither the plugin docker compose nor docker-compose is installed');
    const { status, stderr } = run(program, ...args, '--file', 'deploy/compose.ha.yaml', 'config', '--quiet');
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('has a compose.ha.yaml that sets only existing settings, and lets instances finish their requests', () => {
    const documented = readFileSync('docs/settings.md', 'utf8');
    for (const name of ['api1', 'api2', 'migrate']) {
      for (const setting of Object.keys(compose.services[name]?.environment ?? {})) {
        expect(documented, name).to.contain(`\`${setting.replace(/_FILE$/, '')}`);
      }
    }
    expect(compose.services['api1']?.stop_grace_period).to.equal('20s');
    expect(compose.services['api2']).to.deep.equal(compose.services['api1']);
  });

  it('has a haproxy.cfg that haproxy accepts', function () {
    if (!isInstalled('haproxy', '-v')) skip(this, 'haproxy is not installed');
    const { status, stdout, stderr } = run('haproxy', '-c', '-f', 'deploy/ha/haproxy.cfg');
    expect(status, stdout + stderr).to.equal(0);
  });

  it('has a patroni.yaml whose lease is long enough, and that never promotes a server without the acknowledged writes', () => {
    const { dcs } = parse(readFileSync('deploy/ha/patroni.yaml', 'utf8')).bootstrap;
    expect(dcs).to.include({ failsafe_mode: true, synchronous_mode: true });
    expect(dcs.loop_wait + 2 * dcs.retry_timeout).to.be.at.most(dcs.ttl);
  });
});
