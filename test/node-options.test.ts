import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const optionsIn = (text: string, command: RegExp): readonly string[] =>
  command.exec(text)?.[1]?.trim().split(' ') ?? [];

describe('The service', () => {
  // Nearly everything that a request makes is of no use at its end, and is thrown away for nothing where there is room for it.
  it('starts with the same room for short-lived objects from npm start and in its container', () => {
    const fromNpm = optionsIn(readFileSync('package.json', 'utf8'), /"start": ".*bootstrap\.mjs (.*)packages\/app/);
    const inContainer = optionsIn(readFileSync('Dockerfile', 'utf8'), /exec node (.*)\/srv\/chapter/);
    expect(fromNpm).to.deep.equal(['--min-semi-space-size=32', '--max-semi-space-size=32']);
    expect(inContainer).to.deep.equal(fromNpm);
  });
});
