// Writes the measured table of docs/comparison.md: what the album policy is in three languages, and the CPU of a decision, measured in
// alternating turns in one process. With BENCH=short, it measures little and writes nothing.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { publish, table } from '../bench/report/markdown.ts';
import { format, quantile } from '../bench/report/numbers.ts';
import { isShort } from '../bench/settings.ts';
import { facts, measured } from '../examples/comparison/facts.ts';
import { type AlbumAction, policyLanguages } from '../examples/comparison/policies.ts';
import { albumPolicy } from '../packages/domain/test/library/album-policy.ts';

const TURNS = isShort() ? 1 : 15;
const TURN_MS = isShort() ? 5 : 200;
const actions = Object.keys(albumPolicy) as AlbumAction[];
const languages = Object.entries(policyLanguages);
const { actors, albums } = measured;

/** Decides about all actions on all albums for all actors. */
type DecideAll = () => void;

/** Returns the CPU of a decision in microseconds. */
const measure = (decideAll: DecideAll): number => {
  const [begin, { user, system }] = [performance.now(), process.cpuUsage()];
  let times = 0;
  for (; performance.now() - begin < TURN_MS; times++) decideAll();
  const spent = process.cpuUsage();
  return (spent.user + spent.system - user - system) / (times * actors.length * albums.length * actions.length);
};

/** Decisions of actors who were prepared before. */
const known = languages.map(([, { decideFor }]): DecideAll => {
  const deciders = actors.map(decideFor);
  return () => {
    for (const decide of deciders) for (const target of albums) for (const action of actions) decide(action, target);
  };
});

/** Decisions that prepare their actor. */
const prepared = languages.map(([, { decideFor }]): DecideAll => {
  return () => {
    for (const actor of actors) {
      for (const target of albums) for (const action of actions) decideFor(actor)(action, target);
    }
  };
});

const [ofKnown = [], ofPrepared = []] = [known, prepared].map((all) => {
  const turns: number[][] = all.map(() => []);
  for (let turn = 0; turn <= TURNS; turn++) {
    const order = turn % 2 === 0 ? [...all.keys()] : [...all.keys()].toReversed();
    for (const at of order) {
      const spent = measure(all[at] ?? (() => {}));
      if (turn > 0) turns[at]?.push(spent);
    }
  }
  return turns.map((values) => `${format(quantile(values, 0.5))} (${format(quantile(values, 1))})`);
});

const version = (name: string): string =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version;
const rows = [
  ...facts(),
  ['CPU of a decision, µs: median (slowest turn)', ...ofKnown],
  ['the same, with the actor prepared for it', ...ofPrepared],
];
const versions = `Node.js ${process.versions.node}, @chapter/domain ${version('@chapter/domain')}, CASL ${version('@casl/ability')}, Cedar ${version('@cedar-policy/cedar-wasm')} (WebAssembly)`;
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${TURNS} alternating turns of ${TURN_MS} ms`;
publish(
  'docs/comparison.md',
  'npm run docs:comparison',
  [
    table(['this policy', ...languages.map(([name]) => name)].join(' | '), rows),
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${versions}; ${machine}.`,
  ].join('\n'),
);
