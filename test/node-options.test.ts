import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const optionsIn = (text: string, command: RegExp): readonly string[] =>
  command.exec(text)?.[1]?.trim().split(' ') ?? [];

describe('The service', () => {
  // Nearly everything that a request makes is of no use at its end, and is thrown away for nothing where there is room for it.
  it('starts with the same room for short-lived objects by npm start, by the command line and in its container', () => {
    const manifest = readFileSync('package.json', 'utf8');
    const fromNpm = optionsIn(manifest, /"start": ".*bootstrap\.mjs (.*)packages\/app/);
    const ofCommands = optionsIn(manifest, /"chapter": ".*bootstrap\.mjs (.*)packages\/app/);
    const inContainer = optionsIn(readFileSync('Dockerfile', 'utf8'), /exec node (.*)\/srv\/chapter/);
    expect(fromNpm).to.deep.equal(['--min-semi-space-size=32', '--max-semi-space-size=32']);
    expect(ofCommands).to.deep.equal(fromNpm);
    expect(inContainer).to.deep.equal(fromNpm);
  });
});
