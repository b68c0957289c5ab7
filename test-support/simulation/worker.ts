// Runs a share of the histories in a thread of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { type SimulateOptions, simulate } from './simulate.ts';

parentPort?.postMessage(await simulate(workerData as Pick<SimulateOptions, 'seed' | 'histories'>), []);
