import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const read = (file: string): string => readFileSync(file, 'utf8');

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found ?? '');

describe('The images', () => {
  it('that the Dockerfile and compose.yaml start from are those that can be built where none can be pulled', () => {
    const script = read('scripts/containers/public-images.sh');
    const [suite = ''] = all(script, /^suite=(\S+)$/gm);
    const made = all(script, /^(?:debian|node|postgres)=(\S+)$/gm).map((name) => name.replace('$suite', suite));
    const used = [...all(read('Dockerfile'), /^FROM (\S+)/gm), ...all(read('compose.yaml'), /^ +image: ([^$\s]+)$/gm)];
    expect(made).to.have.members([...new Set(used)]);
  });

  it('that the tests look for are made as well', () => {
    const [name] = all(read('scripts/containers/public-images.sh'), /^postgres_of_tests=(\S+)$/gm);
    expect(read('test-support/database.ts')).to.contain(`'${name}'`);
  });

  it('of the service have every package', () => {
    const copied = all(read('Dockerfile'), /^COPY packages\/(\S+)\/package\.json /gm);
    expect(copied).to.have.members(readdirSync('packages'));
  });
});
