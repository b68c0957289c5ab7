import type { ReadPage } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { isDomainError } from '../../packages/domain/src/index.ts';
import type { PageKind } from '../../test-support/lists/page-kinds.ts';
import { percentiles } from '../report/numbers.ts';

/** A division or a database with its kinds of pages. Kinds at the same position of two lists differ only in the division. */
export interface Target {
  readonly kinds: readonly PageKind[];
  readonly readPage: ReadPage;
}

/** How often each page is read. */
export interface Repetitions {
  /** Reads that are not measured: they load pages into memory, and the server chooses a plan. */
  readonly warmUps: number;
  readonly rounds: number;
  /** A page is read no more after `minReads` if its reads took longer than this in all. */
  readonly maxMs: number;
  readonly minReads: number;
}

/** A kind of page, with its median duration in milliseconds in each target, and whether it was refused for its cost. */
export interface MeasuredPage {
  readonly kind: Pick<PageKind, 'about' | 'group' | 'query'>;
  readonly measured: readonly { readonly p50: number; readonly isRefused: boolean }[];
}

const acceptRefusal = (error: unknown): true => {
  if (!isDomainError(error)) throw error;
  return true;
};

/** Reads one kind of page in each target in turn, so that a slow moment of the machine affects all targets. */
const measurePage = async (
  targets: readonly Target[],
  at: number,
  { warmUps, rounds, maxMs, minReads }: Repetitions,
): Promise<MeasuredPage['measured']> => {
  const reads = targets.flatMap(({ kinds, readPage }) => {
    const kind = kinds[at];
    return kind ? [{ kind, readPage, spentMs: 0, isRefused: false, times: [] as number[] }] : [];
  });
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const one of reads) {
      if (one.spentMs > maxMs && one.times.length >= minReads) continue;
      const began = performance.now();
      one.isRefused = await one.kind.read(one.readPage).then(() => false, acceptRefusal);
      const time = performance.now() - began;
      one.spentMs += time;
      if (round >= warmUps) one.times.push(time);
    }
  }
  return reads.map(({ times, isRefused }) => ({ p50: percentiles(times).p50, isRefused }));
};

/** Measures all kinds of pages. */
export const measurePages = async (
  targets: readonly Target[],
  repetitions: Repetitions,
): Promise<readonly MeasuredPage[]> => {
  const pages: MeasuredPage[] = [];
  for (const [at, kind] of targets[0]?.kinds.entries() ?? []) {
    pages.push({ kind, measured: await measurePage(targets, at, repetitions) });
  }
  return pages;
};
