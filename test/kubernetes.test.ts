import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Manifest, manifestFaults, parseManifests, readManifests } from '../test-support/kubernetes.ts';

const FOLDER = 'deploy/kubernetes';
const manifests = readManifests(FOLDER);
const read = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');
const named = (file: string): Manifest => manifests.get(file) ?? expect.fail(`${FOLDER} has no ${file}`);

describe('The manifests of deploy/kubernetes', () => {
  it('match the published schemas', () => {
    expect([...manifests.values()].map(({ kind }) => kind)).to.have.members([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Job',
      'Namespace',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    expect(manifestFaults(manifests.values())).to.deep.equal([]);
  });

  it('would not match with an unknown field, text instead of a number, an unknown kind or an unknown API', () => {
    const broken: readonly (readonly [file: string, text: string, replacement: string, fault: RegExp])[] = [
      ['deployment.yaml', 'readinessProbe:', 'readynessProbe:', /'"?readynessProbe"?' does not exist/],
      ['autoscaler.yaml', 'maxReplicas: 6', 'maxReplicas: "6"', /'string' is not assignable/],
      ['service.yaml', 'kind: Service', 'kind: Services', /'"?Services"?'/],
      ['service.yaml', 'apiVersion: v1', 'apiVersion: v9', /'kubernetes-types\/core\/v9'/],
    ];
    const faults = manifestFaults(
      broken.flatMap(([file, text, replacement]) => parseManifests(read(file).replace(text, replacement))),
    );
    expect(faults).to.have.length(broken.length);
    for (const [at, [, , , fault]] of broken.entries()) expect(faults[at]).to.match(fault);
  });

  it('are all in the kustomization', () => {
    const { resources } = parse(read('kustomization.yaml')) as { resources: readonly string[] };
    expect(resources).to.have.members([...manifests.keys()]);
  });

  it('run every container without rights, on a read-only file system', () => {
    for (const file of ['deployment.yaml', 'migration.yaml']) {
      const { spec } = named(file).spec.template;
      expect(spec.automountServiceAccountToken, file).to.equal(false);
      expect(spec.securityContext, file).to.deep.include({ runAsNonRoot: true, runAsUser: 10_001 });
      expect(spec.containers, file).to.have.length(1);
      expect(spec.containers[0].securityContext, file).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('take a pod out of the rotation within SHUTDOWN_DELAY, and kill it only after its requests have ended', () => {
    const delay = Number(named('settings.yaml').data?.['SHUTDOWN_DELAY']);
    const { spec } = named('deployment.yaml').spec.template;
    const { periodSeconds, failureThreshold } = spec.containers[0].readinessProbe;
    expect(periodSeconds * failureThreshold).to.be.below(delay);
    expect(spec.terminationGracePeriodSeconds).to.be.at.least(delay + 15);
  });

  it('name only settings that exist, and select the pods of the Deployment', () => {
    for (const name of Object.keys(named('settings.yaml').data ?? {})) {
      expect(readFileSync('docs/settings.md', 'utf8')).to.contain(`\`${name.replace(/_FILE$/, '')}`);
    }
    const { labels } = named('deployment.yaml').spec.template.metadata;
    expect(named('service.yaml').spec.selector).to.deep.equal(labels);
    expect(named('disruption-budget.yaml').spec.selector.matchLabels).to.deep.equal(labels);
    expect(named('autoscaler.yaml').spec.scaleTargetRef.name).to.equal(named('deployment.yaml').metadata.name);
  });
});
