import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const read = (file: string): string => readFileSync(file, 'utf8');

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found ?? '');

describe('The images', () => {
  it('that the Dockerfile and compose.yaml use can all be built without a registry', () => {
    const script = read('scripts/containers/public-images.sh');
    const [suite = ''] = all(script, /^suite=(\S+)$/gm);
    const made = all(script, /^(?:debian|node|postgres)=(\S+)$/gm).map((name) => name.replace('$suite', suite));
    const used = [...all(read('Dockerfile'), /^FROM (\S+)/gm), ...all(read('compose.yaml'), /^ +image: ([^$\s]+)$/gm)];
    expect(made).to.have.members([...new Set(used)]);
  });

  it('that the tests use are provided too', () => {
    const [name] = all(read('scripts/containers/public-images.sh'), /^postgres_of_tests=(\S+)$/gm);
    expect(read('test-support/database.ts')).to.contain(`'${name}'`);
  });

  it('of the service contain every package', () => {
    const copied = all(read('Dockerfile'), /^COPY packages\/(\S+)\/package\.json /gm);
    expect(copied).to.have.members(readdirSync('packages'));
  });
});
